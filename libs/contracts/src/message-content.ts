import { Type, type Static } from '@sinclair/typebox';
import { MediaId } from './media';

/** A text of at most that many UTF-16 units (decision 302). */
const text = (most: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: most, ...(description !== undefined && { description }) });
const optionalText = (most: number, description?: string) => Type.Optional(text(most, description));
const anyText = (description?: string) => optionalText(1_000, description);
const TWO_FOR_EMOJI = 'an emoji counts as two or more';

export const INTERACTIVE_KINDS = ['buttons', 'list', 'link', 'location_request', 'flow'] as const;
export type InteractiveKind = (typeof INTERACTIVE_KINDS)[number];

/** The longest body of an interactive message. */
export const maxBodyOf = (kind: unknown): number => (kind === 'list' ? 4_096 : 1_024);

/** The members that its type does not use are absent. */
export const InteractiveHeader = Type.Object({
  type: Type.Union(
    (['text', 'image', 'video', 'document'] as const).map((name) => Type.Literal(name)),
    { description: 'A list takes `text` only.' },
  ),
  text: optionalText(60, `For the type \`text\`: at most 60 characters; ${TWO_FOR_EMOJI}.`),
  media_url: optionalText(2_048, 'For the other types: the http or https address of the file, unless `media_id` names it.'),
  media_id: Type.Optional(Type.String({ ...MediaId, description: 'For the other types: the id of an uploaded or received file.' })),
});
export const ReplyButtons = Type.Array(
  Type.Object({
    id: text(256, 'Comes back as `interactive.id` when the customer taps the button. Each button has its own.'),
    title: text(20, `What the customer sees: at most 20 characters; ${TWO_FOR_EMOJI}. Each button has its own.`),
  }),
  { minItems: 1, maxItems: 3 },
);
export const ChoiceList = Type.Object({
  button: text(20, `The button that opens the list: at most 20 characters; ${TWO_FOR_EMOJI}.`),
  sections: Type.Array(
    Type.Object({
      title: optionalText(24, 'The heading of the section; required with more than one section.'),
      rows: Type.Array(
        Type.Object({
          id: text(200, 'Comes back as `interactive.id` when the customer chooses the row. Each row has its own.'),
          title: text(24, `What the customer sees: at most 24 characters; ${TWO_FOR_EMOJI}.`),
          description: optionalText(72, 'A second line in smaller letters.'),
        }),
        { minItems: 1, maxItems: 10 },
      ),
    }),
    { minItems: 1, maxItems: 10, description: 'Together they have at most 10 rows.' },
  ),
});
export const LinkButton = Type.Object({
  text: text(20, `The button: at most 20 characters; ${TWO_FOR_EMOJI}.`),
  url: text(2_000, 'The http or https address that the button opens.'),
});
export const FlowButton = Type.Object({
  flow_id: text(64, 'The id of the flow in WhatsApp Manager.'),
  cta: text(30, 'The button that opens the flow.'),
  screen: optionalText(256, 'The first screen; required with `data`.'),
  data: Type.Optional(
    Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true, description: 'Values for the first screen.' })),
  ),
});

/** Buttons, a list and other messages that a customer replies to with a tap (platform §1.7). */
export const InteractiveContent = Type.Object({
  kind: Type.Union(INTERACTIVE_KINDS.map((kind) => Type.Literal(kind))),
  body: text(4_096, 'At most 1,024 characters; 4,096 with a list.'),
  header: Type.Optional(InteractiveHeader),
  footer: optionalText(60, 'A line below the body. Not with `location_request`.'),
  buttons: Type.Optional(ReplyButtons),
  list: Type.Optional(ChoiceList),
  link: Type.Optional(LinkButton),
  flow: Type.Optional(FlowButton),
});
export type InteractiveContent = Static<typeof InteractiveContent>;

export const LocationContent = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90, description: 'In degrees.' }),
  longitude: Type.Number({ minimum: -180, maximum: 180, description: 'In degrees.' }),
  name: anyText('The name of the place.'),
  address: anyText('The address of the place.'),
});
export type LocationContent = Static<typeof LocationContent>;

/** Contact cards, as WhatsApp takes them. */
export const ContactCards = Type.Array(
  Type.Object({
    name: Type.Object({
      formatted_name: text(1_000, 'The whole name, as the card shows it. One of the other names is required too.'),
      first_name: anyText(),
      last_name: anyText(),
      middle_name: anyText(),
      suffix: anyText(),
      prefix: anyText(),
    }),
    phones: Type.Optional(
      Type.Array(
        Type.Object({
          phone: text(1_000, 'The number as the card shows it.'),
          type: anyText('`CELL`, `MAIN`, `HOME`, `WORK` or another word.'),
          wa_id: anyText('The number on WhatsApp in digits; the card then has a button that opens the chat.'),
        }),
        { maxItems: 100 },
      ),
    ),
    emails: Type.Optional(Type.Array(Type.Object({ email: text(1_000), type: anyText() }), { maxItems: 100 })),
    org: Type.Optional(Type.Object({ company: anyText(), department: anyText(), title: anyText() })),
    addresses: Type.Optional(
      Type.Array(
        Type.Object({
          street: anyText(),
          city: anyText(),
          state: anyText(),
          zip: anyText(),
          country: anyText(),
          country_code: anyText(),
          type: anyText(),
        }),
        { maxItems: 100 },
      ),
    ),
    urls: Type.Optional(Type.Array(Type.Object({ url: text(1_000), type: anyText() }), { maxItems: 100 })),
    birthday: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'YYYY-MM-DD.' })),
  }),
  { minItems: 1, maxItems: 257 },
);
export type ContactCards = Static<typeof ContactCards>;
