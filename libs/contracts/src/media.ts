import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';

/** The platform's id of a file. It is part of paths, so it has no dots and slashes. */
export const MediaId = Type.String({ pattern: '^[0-9A-Za-z_-]{1,128}$' });

/** A file that a business received or uploaded. */
export const MediaRecord = Type.Object({
  media_id: MediaId,
  filename: Nullable(Type.String()),
  /** When the platform deletes it. */
  expires_at: IsoTime,
});
export type MediaRecord = Static<typeof MediaRecord>;

/** Files of other businesses are NOT_FOUND like unknown ones. */
export const FindMedia = operation('send', 'find-media', {
  isRead: true,
  request: Type.Object({ business_id: Id, media_id: MediaId }),
  reply: MediaRecord,
  errors: ['NOT_FOUND'],
});

/** Records a file that the platform has taken, so that the business may send and read it. */
export const RecordUpload = operation('send', 'record-upload', {
  request: Type.Object({
    business_id: Id,
    media_id: MediaId,
    mime_type: Type.String(),
    file_size: Type.Integer({ minimum: 1 }),
    filename: Nullable(Type.String()),
  }),
  reply: Type.Object({ expires_at: IsoTime }),
});

/** @param hash hexadecimal or base64 of 32 bytes @returns them in lowercase hexadecimal */
export function sha256Hex(hash: unknown): string | undefined {
  if (typeof hash !== 'string') return undefined;
  if (/^[0-9A-Fa-f]{64}$/.test(hash)) return hash.toLowerCase();
  return /^[A-Za-z0-9+/]{43}=$/.test(hash) ? Buffer.from(hash, 'base64').toString('hex') : undefined;
}
