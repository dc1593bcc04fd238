import { Type, type Static } from '@sinclair/typebox';
import type { Account } from '../accounts/accounts';
import { GraphFailure } from '../graph-error';
import { isMediaKind } from '../media/media-types';
import { sha256 } from '../media/media-store';
import { SAMPLES } from '../media/samples';
import type { InboundMessage } from '../people/people';
import { USER_ID } from '../people/person-name';
import { accountOfNumber, readPerson, readRequest } from './control-requests';
import type { SimulatorParts } from '../simulator-parts';

/** Contents of the types without a file, for tests that need any message of a type (platform §4.4). */
const SAMPLE_CONTENT: Record<string, Exclude<InboundMessage['content'], undefined>> = {
  location: { latitude: 12.9716, longitude: 77.5946, name: 'Kaveri Looms showroom', address: '14 Weaver Street' },
  contacts: [
    {
      name: { formatted_name: 'Warehouse Desk', first_name: 'Warehouse' },
      phones: [{ phone: '+91 90000 55509', wa_id: '919000055509', type: 'WORK' }],
    },
  ],
  button: { payload: 'REORDER', text: 'Reorder' },
  interactive: { type: 'list_reply', list_reply: { id: 'silk_03', title: 'Silk, 3 m', description: 'Ships in two days' } },
  order: {
    catalog_id: '550066770088990',
    text: 'Gift wrap please',
    product_items: [{ product_retailer_id: 'STOLE-IND-02', quantity: 2, item_price: 1890.5, currency: 'INR' }],
  },
  unsupported: { type: 'poll_creation' },
};

/** The error of a message that WhatsApp does not pass on. */
const UNSUPPORTED_ERRORS = [
  {
    code: 131051,
    title: 'Message type unknown',
    message: 'Message type unknown',
    error_data: { details: 'Message type is currently not supported.' },
  },
];

const optional = Type.Optional;
const object = Type.Record(Type.String(), Type.Unknown());

export const InboundRequest = Type.Object(
  {
    phone_number_id: Type.String(),
    /** A phone number, with or without punctuation, or a business-scoped user id. */
    from: optional(Type.String({ minLength: 1 })),
    /** Business-scoped user id; with `from` the callback carries both. */
    bsuid: optional(Type.String({ pattern: USER_ID.source })),
    name: optional(Type.String()),
    /** The customer's username, as `profile.username`. */
    username: optional(Type.String({ minLength: 1 })),
    /** Time of the message: `-30h`, `+5m`, or milliseconds since 1970. */
    at: optional(Type.Union([Type.String(), Type.Number()])),
    type: optional(Type.String({ pattern: '^[a-z_]+$' })),
    text: optional(Type.String()),
    /** The member named by `type`; by default a sample, or `text`. For `contacts` it is a list. */
    content: optional(Type.Union([object, Type.Array(object)])),
    /** The file of an image, video, audio, document or sticker; a small sample by default. */
    file: optional(
      Type.Object(
        { mime_type: Type.String({ pattern: '^[\\w.+-]+/[\\w.+-]+(;.*)?$' }), base64: Type.String({ pattern: '^[A-Za-z0-9+/]+={0,2}$' }) },
        { additionalProperties: false },
      ),
    ),
    context: optional(object),
    referral: optional(object),
    /** With errors, a message without `content` has none, like media that failed (platform §4.4). */
    errors: optional(Type.Array(object)),
    /** False for a callback without `contacts`. */
    contacts: optional(Type.Boolean()),
    /** Further messages in the same callback, at most 1,000 in total. */
    batch_with: optional(Type.Array(object, { maxItems: 999 })),
  },
  { additionalProperties: false },
);
type Inbound = Static<typeof InboundRequest>;

/** Posts a customer's messages. @returns their ids after the first attempt */
export async function inbound(parts: SimulatorParts, request: Inbound): Promise<{ message_id: string | undefined; message_ids: string[] }> {
  const account = accountOfNumber(parts, request.phone_number_id);
  const { phone_number_id } = request;
  const others = (request.batch_with ?? []).map((more) => readRequest(InboundRequest, { ...more, phone_number_id }));
  const [first, ...rest] = [request, ...others].map((one) => inboundMessageOf(parts, account, one)) as [
    InboundMessage,
    ...InboundMessage[],
  ];
  const message_ids = await parts.people.write(first, ...rest);
  return { message_id: message_ids[0], message_ids };
}

function inboundMessageOf(parts: SimulatorParts, account: Account, request: Inbound): InboundMessage {
  const { name = 'Simulated Person', username, type = 'text', context, referral } = request;
  const { errors = type === 'unsupported' ? UNSUPPORTED_ERRORS : undefined } = request;
  const { bsuid: userId } = request;
  const sender = request.from ?? userId;
  if (sender === undefined) throw new GraphFailure(100, 'from or bsuid is required');
  const from = readPerson('from', sender);
  const members = { ...(context && { context }), ...(referral && { referral }), ...(errors && { errors }) };
  const at = timeOf(request.at, parts.clock.now());
  return {
    account,
    from,
    userId,
    name,
    username,
    type,
    content: contentOf(parts, account, type, request),
    at,
    members,
    contacts: request.contacts ?? true,
  };
}

function contentOf(parts: SimulatorParts, account: Account, type: string, request: Inbound): InboundMessage['content'] {
  const { text, content, errors, file } = request;
  if (type === 'text') return content ?? { body: text ?? '' };
  if (errors && !content) return undefined;
  if (!isMediaKind(type) || Array.isArray(content)) return content ?? SAMPLE_CONTENT[type] ?? {};
  if (typeof content?.['id'] === 'string') return content;
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
  if (typeof at === 'number') return checkTime(at);
  const [, sign, amount, unit] = /^([+-])(\d+)([smhd])$/.exec(at) ?? [];
  if (!amount) throw new GraphFailure(100, 'at must be an offset such as -30h or +5m, or milliseconds since 1970');
  const ms = Number(amount) * { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit as 's' | 'm' | 'h' | 'd'];
  return checkTime(now + (sign === '-' ? -ms : ms));
}

function checkTime(at: number): number {
  if (Number.isNaN(new Date(at).getTime())) throw new GraphFailure(100, 'at is outside the years that a date can have');
  return at;
}
