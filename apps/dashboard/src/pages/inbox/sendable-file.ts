import type { Schemas } from '../../api/client';

export type MediaType = NonNullable<Schemas['FileReplyRequest']['media_type']>;

const OFFICE = 'application/vnd.openxmlformats-officedocument';
const MB = 1024 * 1024;
/** The types that WhatsApp sends as each kind of message, and their most bytes. */
const KINDS: Record<MediaType, { types: string[]; most: number }> = {
  image: { types: ['image/jpeg', 'image/png'], most: 5 * MB },
  video: { types: ['video/mp4', 'video/3gpp'], most: 16 * MB },
  audio: { types: ['audio/aac', 'audio/mp4', 'audio/mpeg', 'audio/amr', 'audio/ogg'], most: 16 * MB },
  document: {
    types: [
      ...['application/pdf', 'text/plain', 'application/msword', 'application/vnd.ms-excel', 'application/vnd.ms-powerpoint'],
      ...['wordprocessingml.document', 'spreadsheetml.sheet', 'presentationml.presentation'].map((part) => `${OFFICE}.${part}`),
    ],
    most: 100 * MB,
  },
};

/** The types of the file dialog. */
export const SENDABLE_TYPES = Object.values(KINDS).flatMap(({ types }) => types);

/** @returns the kind of message that carries the file, or why none does */
export function sendableFile({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): { kind: MediaType } | { problem: string } {
  const [kind] = (Object.keys(KINDS) as MediaType[]).filter((one) => KINDS[one].types.includes(type));
  if (kind === undefined)
    return { problem: `WhatsApp does not send files like ${name}. It takes JPEG, PNG, MP4, sounds, PDF, text and Office files.` };
  if (size === 0) return { problem: `${name} is empty.` };
  const most = KINDS[kind].most / MB;
  if (size > KINDS[kind].most) return { problem: `${name} is too large: WhatsApp takes ${LABELS[kind]} of at most ${most} MB.` };
  return { kind };
}

const LABELS: Record<MediaType, string> = { image: 'pictures', video: 'videos', audio: 'sounds', document: 'documents' };
