const MB = 1024 * 1024;
const OFFICE = 'application/vnd.openxmlformats-officedocument';

const begins =
  (...starts: (string | number[])[]) =>
  (bytes: Buffer) =>
    starts.some((start) => {
      const wanted = Buffer.from(start as string, 'latin1');
      return bytes.subarray(0, wanted.length).equals(wanted);
    });
const holdsAt = (place: number, text: string) => (bytes: Buffer) => bytes.subarray(place, place + text.length).toString('latin1') === text;
const isOldOffice = begins([0xd0, 0xcf, 0x11, 0xe0]);
const isZip = begins('PK');
const isMp4 = holdsAt(4, 'ftyp');

interface FileKind {
  /** Maximum number of bytes (platform §1.3). */
  most: number;
  /** Whether a file may begin with these bytes; at least `BEGINNING`, or all of a shorter file. */
  isLikely: (beginning: Buffer) => boolean;
}
const image = (isLikely: FileKind['isLikely']): FileKind => ({ most: 5 * MB, isLikely });
const film = (isLikely: FileKind['isLikely']): FileKind => ({ most: 16 * MB, isLikely });
const document = (isLikely: FileKind['isLikely']): FileKind => ({ most: 100 * MB, isLikely });

/** Bytes that show a type. */
export const BEGINNING = 12;

/** The files that WhatsApp takes, by type. It notices a wrong type only when the message has failed. */
const FILE_KINDS: Record<string, FileKind> = {
  'image/jpeg': image(begins([0xff, 0xd8, 0xff])),
  'image/png': image(begins([0x89, 0x50, 0x4e, 0x47])),
  'image/webp': { most: 500 * 1024, isLikely: (bytes) => begins('RIFF')(bytes) && holdsAt(8, 'WEBP')(bytes) },
  'video/mp4': film(isMp4),
  'video/3gpp': film(isMp4),
  'audio/aac': film(begins([0xff, 0xf1], [0xff, 0xf9], 'ADIF')),
  'audio/mp4': film(isMp4),
  // A frame of MPEG audio begins with eleven set bits.
  'audio/mpeg': film((bytes) => begins('ID3')(bytes) || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)),
  'audio/amr': film(begins('#!AMR')),
  'audio/ogg': film(begins('OggS')),
  'text/plain': document((bytes) => !bytes.includes(0)),
  'application/pdf': document(begins('%PDF')),
  'application/msword': document(isOldOffice),
  'application/vnd.ms-excel': document(isOldOffice),
  'application/vnd.ms-powerpoint': document(isOldOffice),
  [`${OFFICE}.wordprocessingml.document`]: document(isZip),
  [`${OFFICE}.spreadsheetml.sheet`]: document(isZip),
  [`${OFFICE}.presentationml.presentation`]: document(isZip),
};
export const FILE_TYPES = Object.keys(FILE_KINDS);
/** The files that the header of a template may have as its sample (platform §3.4). */
export const SAMPLE_TYPES = ['image/jpeg', 'image/png', 'video/mp4', 'application/pdf'];

/** @param mimeType may have parameters, such as `codecs` @returns null for a type that is none of `types` */
export function fileKindOf(mimeType: string, types: readonly string[] = FILE_TYPES): FileKind | null {
  const bare = (mimeType.split(';')[0] ?? '').trim().toLowerCase();
  return types.includes(bare) ? (FILE_KINDS[bare] ?? null) : null;
}
