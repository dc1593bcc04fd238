import { Type, type Static, type TSchema } from '@sinclair/typebox';

const text = (description: string) => Type.Optional(Type.String({ description }));
const flag = (description: string) => Type.Optional(Type.Boolean({ description }));
const part = <T extends TSchema>(schema: T, description: string) => Type.Optional({ ...schema, description } as T);
/** An object as the platform sends it. */
const AsSent = Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }));

/** Members that only some messages of customers have. Each is absent where it does not apply, so a plain text has none of them. */
export const inboundDetails = {
  context: part(
    Type.Object({
      message_id: text('The message that this one replies to.'),
      forwarded: flag('True if the customer forwarded the message.'),
    }),
    'Present in a reply and in a forwarded message.',
  ),
  button: part(
    Type.Object({ payload: Type.String({ description: 'The payload that the template gave the button.' }) }),
    'The tapped button of a template; `text` is its label.',
  ),
  interactive: part(
    Type.Object({
      type: Type.Union(
        (['button_reply', 'list_reply', 'nfm_reply'] as const).map((name) => Type.Literal(name)),
        { description: '`button_reply` of a button, `list_reply` of a list, `nfm_reply` of a flow.' },
      ),
      id: text('The id of the button or row; a flow has none.'),
      title: Type.String({ description: 'The label of the button or row, or the name of the flow.' }),
      description: text('The description of the row.'),
      response: part(AsSent, 'The values that the customer entered into the flow.'),
    }),
    'The chosen button or row, or a completed flow.',
  ),
  location: part(
    Type.Object({
      latitude: Type.Number({ description: 'In degrees.' }),
      longitude: Type.Number({ description: 'In degrees.' }),
      name: text('The name of the place.'),
      address: text('The address of the place.'),
    }),
    'A location.',
  ),
  contacts: part(Type.Array(AsSent), 'Contact cards, as WhatsApp sends them.'),
  reaction: part(
    Type.Object({
      message_id: Type.String({ description: 'The message that the customer reacted to.' }),
      emoji: Type.Union([Type.String(), Type.Null()], { description: 'Null if the customer removed the reaction.' }),
    }),
    'A reaction to a message.',
  ),
  order: part(AsSent, 'A cart, as WhatsApp sends it.'),
  filename: text('The name of a document.'),
  voice: flag('True for a voice note.'),
  animated: flag('True for an animated sticker.'),
  sha256: text('The hash of the file, in lowercase hexadecimal.'),
  referral: part(
    Type.Object({
      source_id: text('The id of the ad or post.'),
      source_type: text('`ad` or `post`.'),
      source_url: text('The address of the ad or post.'),
      headline: text('The headline of the ad.'),
      body: text('The text of the ad.'),
      ctwa_clid: text('The id of the click, for reports to Meta.'),
    }),
    'The ad or post that led the customer to the conversation.',
  ),
  from_username: text('The customer’s username.'),
  errors: part(
    Type.Array(
      Type.Object({
        code: Type.Integer({ description: 'WhatsApp’s error code.' }),
        title: Type.String({ description: 'WhatsApp’s text about it.' }),
      }),
    ),
    'Why WhatsApp passed on a message without its content or its file.',
  ),
  details_truncated: flag('True if fields were left out: those from `context` on have 32 kB at most.'),
};

export const InboundDetails = Type.Object(inboundDetails);
export type InboundDetails = Static<typeof InboundDetails>;
