import { Type, type TSchema } from '@sinclair/typebox';
import type { MediaStore } from '../media/media-store';
import { bareType, MEDIA_KINDS, type MediaKindName } from '../media/media-types';
import { GraphFailure } from '../graph-error';
import { checkShape, strict, text } from './shape';

const source = { id: Type.Optional(text(64)), link: Type.Optional(text(2_048)) };
const MAX_CAPTION = 1_024;
const MAX_FILENAME = 240;
const caption = { caption: Type.Optional(Type.String()) };
const MEDIA_SHAPES: Record<MediaKindName, TSchema> = {
  image: strict({ ...source, ...caption }),
  video: strict({ ...source, ...caption }),
  audio: strict({ ...source, voice: Type.Optional(Type.Boolean()) }),
  document: strict({ ...source, ...caption, filename: Type.Optional(Type.String({ minLength: 1 })) }),
  sticker: strict(source),
};

interface MediaContent {
  id?: string;
  link?: string;
  caption?: string;
  filename?: string;
}

/**
 * Checks a file by id or by link. Like the platform, it does not fetch a link here.
 * @param name of the parameter
 * @throws GraphFailure 100
 */
export function checkMedia(kind: MediaKindName, content: unknown, name: string, phoneNumberId: string, media: MediaStore): void {
  const { id, link, ...texts } = checkShape(MEDIA_SHAPES[kind], content ?? {}, name) as MediaContent;
  checkCharacters(name, 'caption', texts.caption, MAX_CAPTION);
  checkCharacters(name, 'filename', texts.filename, MAX_FILENAME);
  if ((id === undefined) === (link === undefined)) throw new GraphFailure(100, `Param ${name} must have exactly one of id and link.`);
  if (link !== undefined && !/^https?:\/\/[^\s/]+/.test(link)) throw new GraphFailure(100, `Param ${name}['link'] is not a valid URI.`);
  if (id !== undefined && media.get(id)?.phone_number_id !== phoneNumberId)
    throw new GraphFailure(100, `Param ${name}['id'] is not a valid whatsapp business account media attachment ID`);
}

/** Counts an emoji as one character, unlike schemas. */
function checkCharacters(name: string, member: string, text: string | undefined, most: number): void {
  if (text !== undefined && [...text].length > most)
    throw new GraphFailure(100, `Param ${name}['${member}'] must be at most ${most} characters long.`);
}

/** The reason why the platform cannot deliver an accepted message with this file (platform §1.3), or null. */
export function mediaFailure(kind: MediaKindName, { id, link }: { id?: unknown; link?: unknown }, media: MediaStore): string | null {
  if (typeof link === 'string') {
    if (link.includes('sim-404')) return 'Downloading media from weblink failed with http code 404, status message Not Found';
    if (link.includes('sim-html')) return 'Unsupported media mime type text/html';
    if (link.includes('sim-too-large')) return `Media file size too big. Max file size: ${MEDIA_KINDS[kind].most} bytes`;
    return null;
  }
  const file = media.get(String(id));
  if (!file) return 'The media file no longer exists';
  if (!MEDIA_KINDS[kind].mimeTypes.includes(bareType(file.mime_type))) return `Unsupported ${kind} mime type ${file.mime_type}`;
  return file.bytes.length > MEDIA_KINDS[kind].most ? `Media file size too big. Max file size: ${MEDIA_KINDS[kind].most} bytes` : null;
}
