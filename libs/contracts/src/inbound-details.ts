import { Type, type Static, type TSchema } from '@sinclair/typebox';

const text = (description?: string) => Type.Optional(Type.String(description === undefined ? {} : { description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const part = <T extends TSchema>(schema: T, description: string) => Type.Optional({ ...schema, description } as T);
/** An object as the platform sends it. */
const AsSent = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }));

/** Members that only some messages of customers have. Each is absent where it does not apply, so a plain text has none of them. */
export const inboundDetails = {
  context: part(
    Type.Object({
      message_id: text('The message that this one replies to'),
      forwarded: flag('True if the customer forwarded the message'),
    }),
    'A reply or a forwarded message',
  ),
  button: part(Type.Object({ payload: Type.String() }), 'The tapped button of a template; `text` is its label'),
  interactive: part(
    Type.Object({
      type: Type.Union((['button_reply', 'list_reply', 'nfm_reply'] as const).map((name) => Type.Literal(name))),
      id: text('The id of the button or row; a flow has none'),
      title: Type.String({ description: 'The label of the button or row, or the name of the flow' }),
      description: text(),
      response: Type.Optional({ ...AsSent, description: 'What the customer entered into the flow' } as typeof AsSent),
    }),
    'The choice of a button or row, or a completed flow',
  ),
  location: part(Type.Object({ latitude: Type.Number(), longitude: Type.Number(), name: text(), address: text() }), 'A place'),
  contacts: part(Type.Array(AsSent), 'Shared contact cards, as WhatsApp sends them'),
  reaction: part(
    Type.Object({ message_id: Type.String(), emoji: Type.Union([Type.String(), Type.Null()]) }),
    'A reaction to a message; `emoji` is null if the customer removed it',
  ),
  order: part(AsSent, 'A cart, as WhatsApp sends it'),
  filename: text('The name of a document'),
  voice: flag('True for a voice note'),
  animated: flag('True for an animated sticker'),
  sha256: text('The hash of the file, in lowercase hexadecimal'),
  referral: part(
    Type.Object({ source_id: text(), source_type: text(), source_url: text(), headline: text(), body: text(), ctwa_clid: text() }),
    'The ad or post that led the customer to the conversation',
  ),
  from_username: text('The WhatsApp username of the customer'),
  errors: part(
    Type.Array(Type.Object({ code: Type.Integer(), title: Type.String() })),
    'Why WhatsApp could not pass on the message or its file',
  ),
  details_truncated: flag('True if members were left out because they exceed 32 kB together'),
};

export const InboundDetails = Type.Object(inboundDetails);
export type InboundDetails = Static<typeof InboundDetails>;
