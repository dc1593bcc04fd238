import { Type, type Static } from '@sinclair/typebox';
import { IsoTime, MediaId, type ErrorCode } from '@mgw/contracts';

export const MediaInfo = Type.Object(
  {
    success: Type.Literal(true),
    media_id: MediaId,
    mime_type: Type.String(),
    file_size: Type.Integer({ minimum: 0, description: 'In bytes.' }),
    sha256: Type.String({ description: 'In lowercase hexadecimal; the ETag of the file.' }),
    expires_at: { ...IsoTime, description: 'When the file can no longer be downloaded.' },
  },
  { title: 'MediaInfo' },
);
export type MediaInfo = Static<typeof MediaInfo>;

export const UploadedMedia = Type.Object(
  {
    success: Type.Literal(true),
    media_id: { ...MediaId, description: 'For `media_id` of send-media.' } as typeof MediaId,
    mime_type: Type.String(),
    file_size: Type.Integer({ minimum: 1, description: 'In bytes.' }),
    expires_at: { ...IsoTime, description: 'When WhatsApp deletes the file.' } as typeof IsoTime,
  },
  { title: 'UploadedMedia' },
);
export type UploadedMedia = Static<typeof UploadedMedia>;

export const UploadedSample = Type.Object(
  {
    success: Type.Literal(true),
    handle: Type.String({ description: 'For the `example` of a template’s header.' }),
    mime_type: Type.String(),
    file_size: Type.Integer({ minimum: 1, description: 'In bytes.' }),
  },
  { title: 'UploadedSample' },
);
export type UploadedSample = Static<typeof UploadedSample>;

/** Errors of every transfer with the platform. */
const TRANSFER_ERRORS = ['NOT_CONNECTED', 'PLATFORM_REFUSED', 'PLATFORM_THROTTLED', 'PLATFORM_UNAVAILABLE'] as const;
export const UPLOAD_ERRORS: readonly ErrorCode[] = ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', ...TRANSFER_ERRORS];
export const MEDIA_ERRORS: readonly ErrorCode[] = ['NOT_FOUND', 'MEDIA_EXPIRED', ...TRANSFER_ERRORS];
