import { Type, type Static } from '@sinclair/typebox';
import { MediaId } from './media';

/** A text of at most that many UTF-16 units (decision 302). */
const text = (most: number, description?: string) =>
  Type.String({ minLength: 1, maxLength: most, ...(description !== undefined && { description }) });
const optionalText = (most: number) => Type.Optional(text(most));
const anyText = optionalText(1_000);

export const INTERACTIVE_KINDS = ['buttons', 'list', 'link', 'location_request', 'flow'] as const;
export type InteractiveKind = (typeof INTERACTIVE_KINDS)[number];

/** The longest body of an interactive message. */
export const maxBodyOf = (kind: unknown): number => (kind === 'list' ? 4_096 : 1_024);

/** The members that its type does not use are absent. */
export const InteractiveHeader = Type.Object({
  type: Type.Union((['text', 'image', 'video', 'document'] as const).map((name) => Type.Literal(name))),
  text: optionalText(60),
  /** One of the two for the other types. */
  media_url: optionalText(2_048),
  media_id: Type.Optional(MediaId),
});
export const ReplyButtons = Type.Array(Type.Object({ id: text(256), title: text(20) }), { minItems: 1, maxItems: 3 });
export const ChoiceList = Type.Object({
  button: text(20),
  sections: Type.Array(
    Type.Object({
      title: optionalText(24),
      rows: Type.Array(Type.Object({ id: text(200), title: text(24), description: optionalText(72) }), { minItems: 1, maxItems: 10 }),
    }),
    { minItems: 1, maxItems: 10 },
  ),
});
export const LinkButton = Type.Object({ text: text(20), url: text(2_000) });
export const FlowButton = Type.Object({
  flow_id: text(64),
  cta: text(30),
  screen: optionalText(256),
  data: Type.Optional(Type.Unsafe<Record<string, unknown>>(Type.Object({}, { additionalProperties: true }))),
});

/** Buttons, a list and other messages that a customer replies to with a tap (platform §1.7). */
export const InteractiveContent = Type.Object({
  kind: Type.Union(INTERACTIVE_KINDS.map((kind) => Type.Literal(kind))),
  body: text(4_096, 'At most 1,024 characters; 4,096 with a list.'),
  header: Type.Optional(InteractiveHeader),
  footer: optionalText(60),
  buttons: Type.Optional(ReplyButtons),
  list: Type.Optional(ChoiceList),
  link: Type.Optional(LinkButton),
  flow: Type.Optional(FlowButton),
});
export type InteractiveContent = Static<typeof InteractiveContent>;

export const LocationContent = Type.Object({
  latitude: Type.Number({ minimum: -90, maximum: 90 }),
  longitude: Type.Number({ minimum: -180, maximum: 180 }),
  name: anyText,
  address: anyText,
});
export type LocationContent = Static<typeof LocationContent>;

/** Contact cards, as WhatsApp takes them. */
export const ContactCards = Type.Array(
  Type.Object({
    name: Type.Object({
      formatted_name: text(1_000),
      first_name: anyText,
      last_name: anyText,
      middle_name: anyText,
      suffix: anyText,
      prefix: anyText,
    }),
    phones: Type.Optional(Type.Array(Type.Object({ phone: text(1_000), type: anyText, wa_id: anyText }), { maxItems: 100 })),
    emails: Type.Optional(Type.Array(Type.Object({ email: text(1_000), type: anyText }), { maxItems: 100 })),
    org: Type.Optional(Type.Object({ company: anyText, department: anyText, title: anyText })),
    addresses: Type.Optional(
      Type.Array(
        Type.Object({
          street: anyText,
          city: anyText,
          state: anyText,
          zip: anyText,
          country: anyText,
          country_code: anyText,
          type: anyText,
        }),
        { maxItems: 100 },
      ),
    ),
    urls: Type.Optional(Type.Array(Type.Object({ url: text(1_000), type: anyText }), { maxItems: 100 })),
    birthday: Type.Optional(Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' })),
  }),
  { minItems: 1, maxItems: 257 },
);
export type ContactCards = Static<typeof ContactCards>;
