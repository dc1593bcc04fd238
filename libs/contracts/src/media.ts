import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';

/** The platform's id of a file. It is part of paths, so it has no dots and slashes. */
export const MediaId = Type.String({ pattern: '^[0-9A-Za-z_-]{1,128}$' });

/** A file as MEDIA_STORE has it. */
export const FileFacts = Type.Object({
  mime_type: Type.String(),
  file_size: Type.Integer({ minimum: 0 }),
  /** In lowercase hexadecimal. */
  sha256: Type.String(),
});
export type FileFacts = Static<typeof FileFacts>;

/** A file that a business received or uploaded. */
export const MediaRecord = Type.Object({
  media_id: MediaId,
  filename: Nullable(Type.String()),
  /** When the platform deletes it. */
  expires_at: IsoTime,
  /** Absent unless the store has it; `kept_until` is when its messages expire. */
  stored: Type.Optional(Type.Object({ ...FileFacts.properties, kept_until: IsoTime })),
});
export type MediaRecord = Static<typeof MediaRecord>;

/** Files of other businesses are NOT_FOUND like unknown ones. */
export const FindMedia = operation('send', 'find-media', {
  isRead: true,
  request: Type.Object({ business_id: Id, media_id: MediaId }),
  response: MediaRecord,
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
  response: Type.Object({ expires_at: IsoTime }),
});

/** A claim on a file that shall be copied into the store, or deleted from it. `attempts` is the fencing token. */
export const FileTask = Type.Object({
  business_id: Id,
  media_id: MediaId,
  attempts: Type.Integer(),
  task: Type.Union([Type.Literal('store'), Type.Literal('delete')]),
  expires_at: IsoTime,
});
export type FileTask = Static<typeof FileTask>;

/** Claims at most one file of each business, for gateways with MEDIA_STORE. A claim that nobody ends expires. */
export const ClaimFiles = operation('send', 'claim-files', {
  request: Type.Object({ limit: Type.Integer({ minimum: 1, maximum: 100 }), without: Type.Array(Id) }),
  response: Type.Object({ files: Type.Array(FileTask) }),
});

/** `failed` is retried; `gone` means that the platform no longer has the file. */
export const EndFileTask = operation('send', 'end-file-task', {
  request: Type.Object({
    business_id: Id,
    media_id: MediaId,
    attempts: Type.Integer(),
    outcome: Type.Union([FileFacts, ...(['deleted', 'gone', 'failed'] as const).map((word) => Type.Literal(word))]),
  }),
  response: Type.Object({}),
});

/** Whether erased files of these conversations wait to be deleted from the store. */
export const HasErasedFiles = operation('send', 'has-erased-files', {
  request: Type.Object({ business_id: Id, conversation_ids: Type.Array(Id) }),
  response: Type.Object({ has_files: Type.Boolean() }),
});

/** Whether a store has, or had, files of any business. */
export const HasStoredFiles = operation('send', 'has-stored-files', {
  request: Type.Object({}),
  response: Type.Object({ has_files: Type.Boolean() }),
});

/** @param hash hexadecimal or base64 of 32 bytes @returns them in lowercase hexadecimal */
export function sha256Hex(hash: unknown): string | undefined {
  if (typeof hash !== 'string') return undefined;
  if (/^[0-9A-Fa-f]{64}$/.test(hash)) return hash.toLowerCase();
  return /^[A-Za-z0-9+/]{43}=$/.test(hash) ? Buffer.from(hash, 'base64').toString('hex') : undefined;
}
