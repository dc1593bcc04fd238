import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export interface MediaUpload {
  mimeType: string;
  filename: string;
  /** Bytes; null if the caller did not state them. */
  size: number | null;
  bytes: AsyncIterable<Buffer>;
}

/** A body that is written as it is read. */
export interface StreamedBody {
  contentType: string;
  contentLength: number | null;
  bytes: Readable;
}

/** A file without a form. */
export function plainFile({ mimeType, size, bytes }: MediaUpload): StreamedBody {
  return { contentType: mimeType, contentLength: size, bytes: unread(bytes) };
}

/** A call that fails before its first byte never reads the stream, so nobody else handles its error. */
const unread = (bytes: AsyncIterable<Buffer>) => Readable.from(bytes, { objectMode: false }).on('error', () => undefined);

/** The form of an upload (platform §8.1). */
export function mediaForm({ mimeType, filename, size, bytes }: MediaUpload): StreamedBody {
  const boundary = randomUUID();
  const part = (headers: string, text: string) => `--${boundary}\r\nContent-Disposition: form-data; ${headers}\r\n\r\n${text}`;
  const field = (name: string, value: string) => `${part(`name="${name}"`, value)}\r\n`;
  const file = `name="file"; filename="${filename.replace(/[^\x20-\x7e]|["\\]/g, '_')}"\r\nContent-Type: ${mimeType}`;
  const before = Buffer.from(field('messaging_product', 'whatsapp') + field('type', mimeType) + part(file, ''));
  const after = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* form(): AsyncGenerator<Buffer> {
    yield before;
    yield* bytes;
    yield after;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: size === null ? null : before.length + size + after.length,
    bytes: unread(form()),
  };
}
