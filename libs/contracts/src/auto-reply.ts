import { Type, type Static } from '@sinclair/typebox';
import { Money } from './billing';
import { characters, Id, IsoTime, MessageId, Nullable } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest } from './paging';

/** How a model replies to a business's customers (spec §10). The gateway bounds the length of texts. */
export const AutoReplySettings = Type.Object({
  enabled: Type.Boolean(),
  instructions: Type.String(),
  model: Type.String(),
  /** Address of an OpenAI-compatible API; null: the deployment's own. */
  base_url: Nullable(Type.String()),
  /** Maximum number of replies within 24 hours. */
  daily_limit: Type.Integer({ minimum: 0, maximum: 100_000 }),
  /**
   * Maximum cost of the replies of a day, in the currency of the rate card; null: none. Each reply counts at the rate of service messages, even
   * one that WhatsApp does not charge. A customer without a rate gets no reply while there is a limit.
   */
  daily_cost_limit: Nullable(Money),
  quiet_when_agent_active_minutes: Type.Integer({ minimum: 0, maximum: 10_080 }),
  /** Shows the customer that a reply is being written, which also marks their message as read. */
  show_typing: Type.Boolean(),
});
export type AutoReplySettings = Static<typeof AutoReplySettings>;

export const GetAutoReply = operation('auto-reply', 'get-settings', {
  request: Type.Object({ business_id: Id }),
  /** `counted_today`: the cost that the limit counts since midnight in the business's time zone. */
  response: Type.Composite([AutoReplySettings, Type.Object({ has_api_key: Type.Boolean(), counted_today: Money })]),
});

/**
 * Changes only the given fields; null removes `base_url`, `daily_cost_limit` and the key (`api_key_sealed`). A new origin of `base_url` without a key removes the old one's key
 * (`api_key_removed`). VALIDATION_FAILED names `base_url` if the address is refused.
 */
export const SetAutoReply = operation('auto-reply', 'set-settings', {
  request: Type.Composite([
    Type.Object({ business_id: Id, api_key_sealed: Type.Optional(Nullable(Type.String())) }),
    // Stored by services of the previous version only.
    Type.Partial(Type.Object({ plan: Type.String(), timezone: Type.String() })),
    Type.Partial(AutoReplySettings),
  ]),
  response: Type.Object({ api_key_removed: Type.Optional(Type.Boolean()) }),
});

/** Returns the reply that the model would write, and sends nothing. MODEL_UNAVAILABLE if the model does not respond. */
export const TryAutoReply = operation('auto-reply', 'try', {
  request: Type.Object({ business_id: Id, text: characters(4096, 1) }),
  response: Type.Object({ reply: Type.String() }),
  errors: ['MODEL_UNAVAILABLE'],
  deadlineMs: 25_000,
});

export const ListAutoReplies = operation('auto-reply', 'list', {
  isRead: true,
  request: Type.Object({ business_id: Id, ...PageRequest }),
  response: Type.Object({
    replies: Type.Array(
      Type.Object({
        id: Id,
        conversation_id: Id,
        customer_phone: Type.String(),
        question: Type.String(),
        reply: Nullable(Type.String()),
        message_id: Nullable(MessageId),
        state: Type.Union((['pending', 'replied', 'skipped', 'failed'] as const).map((state) => Type.Literal(state))),
        reason: Nullable(Type.String()),
        at: IsoTime,
      }),
    ),
    next_cursor: NextCursor,
  }),
});

/** Finds which of these conversations auto-reply left to an agent, and why. */
export const FindUnanswered = operation('auto-reply', 'find-unanswered', {
  request: Type.Object({ business_id: Id, conversation_ids: Type.Array(Id, { maxItems: 100 }) }),
  response: Type.Object({ unanswered: Type.Array(Type.Object({ conversation_id: Id, reason: Type.String() })) }),
});
