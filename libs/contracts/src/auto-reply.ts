import { Type, type Static } from '@sinclair/typebox';
import { characters, Id, IsoTime, MessageId, Nullable } from './fields';
import { operation } from './operation';
import { NextCursor, PageRequest } from './paging';

/** How a business's messages are answered by a model (product §2). How long a text may be is the gateway's rule. */
export const AutoReplySettings = Type.Object({
  enabled: Type.Boolean(),
  instructions: Type.String(),
  model: Type.String(),
  /** Of an OpenAI-compatible API; null: the deployment's own. */
  base_url: Nullable(Type.String()),
  /** Replies within 24 hours at most. */
  daily_limit: Type.Integer({ minimum: 0, maximum: 100_000 }),
  quiet_when_agent_active_minutes: Type.Integer({ minimum: 0, maximum: 10_080 }),
});
export type AutoReplySettings = Static<typeof AutoReplySettings>;

export const GetAutoReply = operation('auto-reply', 'get-settings', {
  request: Type.Object({ business_id: Id }),
  reply: Type.Composite([AutoReplySettings, Type.Object({ has_api_key: Type.Boolean() })]),
});

/**
 * Only what is given changes; `api_key_sealed: null` removes the key. A new origin of `base_url` without a key removes the key that was
 * given for the old one (`api_key_removed`; absent from services that do not do so yet). VALIDATION_FAILED names `base_url` when the address is refused.
 */
export const SetAutoReply = operation('auto-reply', 'set-settings', {
  request: Type.Composite([
    Type.Object({ business_id: Id, timezone: Type.String(), plan: Type.String(), api_key_sealed: Type.Optional(Nullable(Type.String())) }),
    Type.Partial(AutoReplySettings),
  ]),
  reply: Type.Object({ api_key_removed: Type.Optional(Type.Boolean()) }),
});

/** What the model would answer; nothing is sent. MODEL_UNAVAILABLE when it does not answer. */
export const TryAutoReply = operation('auto-reply', 'try', {
  request: Type.Object({ business_id: Id, text: characters(4096, 1) }),
  reply: Type.Object({ reply: Type.String() }),
  errors: ['MODEL_UNAVAILABLE'],
  deadlineMs: 25_000,
});

export const ListAutoReplies = operation('auto-reply', 'list', {
  isRead: true,
  request: Type.Object({ business_id: Id, ...PageRequest }),
  reply: Type.Object({
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
  reply: Type.Object({ unanswered: Type.Array(Type.Object({ conversation_id: Id, reason: Type.String() })) }),
});
