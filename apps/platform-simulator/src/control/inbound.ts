import { Type, type Static } from '@sinclair/typebox';
import type { Account } from '../accounts/accounts';
import { GraphFailure } from '../graph/graph-error';
import { isMediaKind } from '../media/media-types';
import { sha256 } from '../media/media-store';
import { SAMPLES } from '../media/samples';
import type { Writing } from '../people/people';
import { accountOfNumber, readRequest } from './control-requests';
import { type SimulatorParts } from '../simulator-parts';

const optional = Type.Optional;
const object = Type.Record(Type.String(), Type.Unknown());

export const InboundRequest = Type.Object(
  {
    phone_number_id: Type.String(),
    /** Digits. */
    from: optional(Type.String({ minLength: 1 })),
    /** Business-scoped user id; beside `from` both are told. */
    bsuid: optional(Type.String({ minLength: 1 })),
    name: optional(Type.String()),
    /** When it was written: `-30h`, `+5m`, or milliseconds since 1970. */
    at: optional(Type.Union([Type.String(), Type.Number()])),
    type: optional(Type.String({ pattern: '^[a-z_]+$' })),
    text: optional(Type.String()),
    /** The object named by `type`, for other types than text. */
    content: optional(object),
    /** The file of image, video, audio, document or sticker; a small one when none is given. */
    file: optional(
      Type.Object(
        { mime_type: Type.String({ pattern: '^[\\w.+-]+/[\\w.+-]+(;.*)?$' }), base64: Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' }) },
        { additionalProperties: false },
      ),
    ),
    context: optional(object),
    referral: optional(object),
    /** Then a message without `content` has none, as media that failed (platform §4.4). */
    errors: optional(Type.Array(object)),
    /** False: the webhook has no `contacts`. */
    contacts: optional(Type.Boolean()),
    /** More messages in the same webhook, at most 1,000 together. */
    batch_with: optional(Type.Array(object, { maxItems: 999 })),
  },
  { additionalProperties: false },
);
type Inbound = Static<typeof InboundRequest>;

/** A customer writes. @returns the ids of the messages, when the webhook was posted once */
export async function inbound(parts: SimulatorParts, request: Inbound): Promise<{ message_id: string | undefined; message_ids: string[] }> {
  const account = accountOfNumber(parts, request.phone_number_id);
  const { phone_number_id } = request;
  const others = (request.batch_with ?? []).map((more) => readRequest(InboundRequest, { ...more, phone_number_id }));
  const [first, ...rest] = [request, ...others].map((one) => writingOf(parts, account, one)) as [Writing, ...Writing[]];
  const message_ids = await parts.people.writes(first, ...rest);
  return { message_id: message_ids[0], message_ids };
}

function writingOf(parts: SimulatorParts, account: Account, request: Inbound): Writing {
  const { name = 'Simulated Person', type = 'text', context, referral, errors } = request;
  const { bsuid: userId } = request;
  const from = request.from ?? userId ?? '';
  if (from === '') throw new GraphFailure(100, 'from or bsuid is needed');
  const beside = { ...(context && { context }), ...(referral && { referral }), ...(errors && { errors }) };
  const at = timeOf(request.at, parts.clock.now());
  return {
    account,
    from,
    userId,
    name,
    type,
    content: contentOf(parts, account, type, request),
    at,
    beside,
    contacts: request.contacts ?? true,
  };
}

function contentOf(parts: SimulatorParts, account: Account, type: string, request: Inbound): Record<string, unknown> | undefined {
  const { text, content, errors, file } = request;
  if (type === 'text') return content ?? { body: text ?? '' };
  if (errors && !content) return undefined;
  if (!isMediaKind(type) || typeof content?.['id'] === 'string') return content ?? {};
  const { mimeType, bytes } = file ? { mimeType: file.mime_type, bytes: Buffer.from(file.base64, 'base64') } : SAMPLES[type]();
  const { id } = parts.media.add(account.phone_number_id, mimeType, bytes, 'received');
  return {
    id,
    mime_type: mimeType,
    sha256: sha256(bytes, 'base64'),
    ...(type === 'audio' && { voice: false }),
    ...(type === 'sticker' && { animated: false }),
    ...(type === 'document' && { filename: 'document' }),
    ...content,
  };
}

/** `-30h`, `-90s`, `+5m`, or milliseconds since 1970. */
function timeOf(at: string | number | undefined, now: number): number {
  if (at === undefined) return now;
  if (typeof at === 'number') return at;
  const [, sign, amount, unit] = /^([+-])(\d+)([smhd])$/.exec(at) ?? [];
  if (!amount) throw new GraphFailure(100, 'at must be like -30h, +5m, or milliseconds since 1970');
  const ms = Number(amount) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's' | 'm' | 'h' | 'd'];
  return now + (sign === '-' ? -ms : ms);
}
