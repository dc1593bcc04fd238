import { Type, type Static, type TSchema } from '@sinclair/typebox';

/** Fields that several contracts share. The gateway validates formats; between services these are shapes. */
export const Id = Type.Integer({ minimum: 1 });
export const IsoTime = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' });
export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** A schema whose description the API reference shows. */
export const described = <T extends TSchema>(schema: T, description: string): T => ({ ...schema, description });

/**
 * A text whose length the gateway has checked in characters. Schemas count UTF-16 units: an emoji has two, and class-validator's
 * `Length` does not count the variation selector after one.
 */
export const characters = (most: number, least = 0) => Type.String({ minLength: least, maxLength: 3 * most });

/** Decision 24; `fingerprint` is the SHA-256 of endpoint and validated body. */
export const Idempotency = Type.Object({ key: Type.String({ minLength: 1, maxLength: 255 }), fingerprint: Type.String() });
export type Idempotency = Static<typeof Idempotency>;

/** A recipient: a phone number in digits with its country code (spec §2.1), or a business-scoped user id (decision 8). */
export const Recipient = Type.String({ minLength: 4, maxLength: 140 });
/** A message's id is printable ASCII, because it is part of event ids. */
export const MessageId = Type.String({ pattern: '^[\\x21-\\x7e]{1,512}$' });

/** `sent_by` of spec §6.2, decision 30. */
export const SentBy = Type.Union([Type.Literal('api'), Type.Literal('agent'), Type.Literal('broadcast'), Type.Literal('ai')]);
/** `type` of an outbound message, decision 30. */
export const OutboundType = Type.Union(
  (['text', 'template', 'image', 'document', 'video', 'audio', 'otp', 'interactive', 'location', 'contacts', 'reaction'] as const).map(
    (name) => Type.Literal(name),
  ),
);
