import { crc32, deflateSync } from 'node:zlib';
import type { MediaKindName } from './media-types';

interface Sample {
  mimeType: string;
  bytes: Buffer;
}

/** Small real files, for tests that need any file of a kind. */
export const SAMPLES: Record<MediaKindName, () => Sample> = {
  image: () => ({ mimeType: 'image/png', bytes: png() }),
  audio: () => ({ mimeType: 'audio/amr', bytes: silence() }),
  video: () => ({ mimeType: 'video/mp4', bytes: emptyFilm() }),
  document: () => ({ mimeType: 'application/pdf', bytes: pdf() }),
  // One transparent pixel, lossless.
  sticker: () => ({ mimeType: 'image/webp', bytes: Buffer.from('UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==', 'base64') }),
};

/** A square of 96 pixels in the colours of an evening sky. */
function png(side = 96): Buffer {
  const rows = Array.from({ length: side }, (_, y) =>
    Buffer.from([0, ...Array.from({ length: side }, (_, x) => [40 + y * 2, 90 + x, 200 - y]).flat()]),
  );
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // 8 bits, red green blue.
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    return Buffer.concat([uint32(data.length), named, uint32(crc32(named))]);
  };
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.concat(rows))), chunk('IEND', Buffer.alloc(0))]);
}

/** A second of AMR: fifty frames without data. */
function silence(): Buffer {
  return Buffer.concat([Buffer.from('#!AMR\n'), Buffer.alloc(50, 0x7c)]);
}

/** MP4 with a head and no tracks. */
function emptyFilm(): Buffer {
  const box = (type: string, ...parts: Buffer[]) => {
    const data = Buffer.concat(parts);
    return Buffer.concat([uint32(data.length + 8), Buffer.from(type), data]);
  };
  const head = Buffer.alloc(100);
  // 1,000 ticks a second, usual speed and volume, no turning, next track 1.
  head.writeUInt32BE(1_000, 12);
  head.writeUInt32BE(0x00010000, 20);
  head.writeUInt16BE(0x0100, 24);
  head.writeUInt32BE(0x00010000, 36);
  head.writeUInt32BE(0x00010000, 52);
  head.writeUInt32BE(0x40000000, 68);
  head.writeUInt32BE(1, 96);
  return Buffer.concat([box('ftyp', Buffer.from('isom'), uint32(512), Buffer.from('isommp42')), box('moov', box('mvhd', head))]);
}

/** One page with the word hello. */
function pdf(): Buffer {
  const page = 'BT /F1 24 Tf 72 700 Td (Hello from the simulator) Tj ET';
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>',
    `<</Length ${page.length}>>stream\n${page}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let text = '%PDF-1.4\n';
  const places = objects.map((object, i) => {
    const place = text.length;
    text += `${i + 1} 0 obj${object}endobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  return Buffer.from(`${text}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
