const MB = 1024 * 1024;
const KB = 1024;

interface MediaKind {
  mimeTypes: readonly string[];
  /** Bytes. */
  most: number;
}

const OFFICE = 'application/vnd.openxmlformats-officedocument';

/** The types and sizes of each kind of file (platform §1.3). */
export const MEDIA_KINDS: Record<'image' | 'video' | 'audio' | 'document' | 'sticker', MediaKind> = {
  image: { mimeTypes: ['image/jpeg', 'image/png'], most: 5 * MB },
  video: { mimeTypes: ['video/mp4', 'video/3gpp'], most: 16 * MB },
  audio: { mimeTypes: ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg', 'audio/opus'], most: 16 * MB },
  document: {
    mimeTypes: [
      'text/plain',
      'application/pdf',
      'application/msword',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      `${OFFICE}.wordprocessingml.document`,
      `${OFFICE}.spreadsheetml.sheet`,
      `${OFFICE}.presentationml.presentation`,
    ],
    most: 100 * MB,
  },
  sticker: { mimeTypes: ['image/webp'], most: 500 * KB },
};
export type MediaKindName = keyof typeof MEDIA_KINDS;

export const isMediaKind = (type: string): type is MediaKindName => Object.hasOwn(MEDIA_KINDS, type);

export const ALL_MIME_TYPES = Object.values(MEDIA_KINDS).flatMap(({ mimeTypes }) => mimeTypes);

/** `audio/ogg` for `audio/ogg; codecs=opus`. */
export const bareType = (mimeType: string): string => (mimeType.split(';')[0] ?? '').trim().toLowerCase();

/** The kind of files with this type; undefined if the platform accepts none. */
export function kindOf(mimeType: string): MediaKind | undefined {
  return Object.values(MEDIA_KINDS).find(({ mimeTypes }) => mimeTypes.includes(bareType(mimeType)));
}
