import { Type, type Static } from '@sinclair/typebox';
import { characters, described, Id, Idempotency, IsoTime, Nullable } from './fields';
import { announcement } from './announcement';
import { operation } from './operation';
import { NextCursor, PageRequest } from './paging';
import { PUBLIC_EVENTS } from './public-events';

const EventNames = Type.Array(Type.String(), { minItems: 1, maxItems: PUBLIC_EVENTS.length });
/** Checked again by the dispatcher, which owns the rules for addresses (guarantees §5). */
const Url = characters(2048, 1);
const SecretSealed = Nullable(Type.String());
/** A day: receivers change to the new secret in that time. */
export const MAX_KEEP_OLD_MINUTES = 1_440;

/** A webhook in the list (spec §2.8). It shows whether a secret exists, never the secret. */
export const WebhookRecord = Type.Object({
  id: Id,
  name: Type.String(),
  url: Type.String(),
  events: Type.Array(Type.String(), { description: 'The events that it gets.' }),
  is_active: Type.Integer({ minimum: 0, maximum: 1, description: '1 while it gets events, 0 while it is disabled.' }),
  has_secret: Type.Boolean({ description: 'Whether deliveries are signed.' }),
  old_secret_until: Type.Optional({ ...IsoTime, description: 'Until then a replaced secret signs too. Absent when no secret was kept.' }),
  last_24_hours: Type.Optional(
    Type.Array(Type.Object({ hour: IsoTime, succeeded: Type.Integer({ minimum: 0 }), failed: Type.Integer({ minimum: 0 }) }), {
      description: 'Ended deliveries by the hour in which they ended, without tests and redeliveries; hours without any are absent.',
    }),
  ),
  last_triggered_at: described(Nullable(IsoTime), 'The end of the last attempt; null before the first.'),
  fail_count: Type.Integer({ minimum: 0, description: 'Consecutive failed deliveries; a success resets it.' }),
  failing: Type.Optional(
    Type.Object(
      { since: Nullable(IsoTime), last_response_code: Nullable(Type.Integer()), reason: Nullable(Type.String()) },
      { description: 'The time of the first failure since the last success, and the end of the newest one. Absent while nothing fails.' },
    ),
  ),
  created_at: IsoTime,
});
export type WebhookRecord = Static<typeof WebhookRecord>;

/** VALIDATION_FAILED names `url` when its address is refused. CONFLICT when the business has 20 webhooks. */
export const CreateWebhook = operation('outbound-webhook-dispatcher', 'create-webhook', {
  request: Type.Object({
    ...{ business_id: Id, name: Type.String(), url: Url, events: EventNames, secret_sealed: SecretSealed },
    idempotency: Type.Optional(Nullable(Idempotency)),
  }),
  /** `replayed`: an earlier request with the same Idempotency-Key created it. */
  response: Type.Object({ id: Id, replayed: Type.Optional(Type.Boolean()) }),
  errors: ['CONFLICT', 'IDEMPOTENCY_MISMATCH'],
});

export const ListWebhooks = operation('outbound-webhook-dispatcher', 'list-webhooks', {
  isRead: true,
  request: Type.Object({ business_id: Id }),
  response: Type.Object({ webhooks: Type.Array(WebhookRecord) }),
});

/** The webhooks of all businesses whose last deliveries failed, the worst first, at most 100. */
export const ListFailingWebhooks = operation('outbound-webhook-dispatcher', 'list-failing-webhooks', {
  isRead: true,
  request: Type.Object({}),
  response: Type.Object({
    webhooks: Type.Array(
      Type.Object({
        business_id: Id,
        id: Id,
        name: Type.String(),
        url: Type.String(),
        is_active: Type.Boolean(),
        fail_count: Type.Integer(),
        last_triggered_at: Nullable(IsoTime),
        last_response_code: Nullable(Type.Integer()),
        reason: Nullable(Type.String()),
      }),
    ),
  }),
});

/**
 * The events that webhooks of several businesses want, active or not, or that readers of their feeds want, in the order of the request. For
 * services that cache them.
 */
export const FindWantedEvents = operation('outbound-webhook-dispatcher', 'find-wanted-events', {
  isRead: true,
  deadlineMs: 1_000,
  request: Type.Object({ business_ids: Type.Array(Id, { minItems: 1, maxItems: 100 }) }),
  response: Type.Object({ wanted: Type.Array(Type.Array(Type.String())) }),
});
/** A webhook of the business was created, changed or deleted, or a reader of its feed wants further events. */
export const WebhooksChanged = announcement('webhooks-changed', Type.Object({ business_id: Id }));

/**
 * Changes only the given fields; `secret_sealed: null` removes the secret (spec §4.9). A replaced secret signs together with the new one for
 * `keep_old_minutes`, 0 by default.
 */
export const UpdateWebhook = operation('outbound-webhook-dispatcher', 'update-webhook', {
  request: Type.Object({
    business_id: Id,
    id: Id,
    name: Type.Optional(Type.String()),
    url: Type.Optional(Url),
    events: Type.Optional(EventNames),
    secret_sealed: Type.Optional(SecretSealed),
    keep_old_minutes: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_KEEP_OLD_MINUTES })),
    is_active: Type.Optional(Type.Boolean()),
  }),
  response: Type.Object({}),
  errors: ['NOT_FOUND'],
});

export const DeleteWebhook = operation('outbound-webhook-dispatcher', 'delete-webhook', {
  request: Type.Object({ business_id: Id, id: Id }),
  // Absent from the previous version of the service.
  response: Type.Object({ name: Type.Optional(Type.String()) }),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
});

const DeliveryState = Type.Union((['pending', 'running', 'succeeded', 'failed', 'skipped'] as const).map((state) => Type.Literal(state)));

/** A delivery in the log (spec §10). */
export const DeliveryRecord = Type.Object({
  id: Id,
  event: Type.String({ description: 'The name of the event.' }),
  event_id: Type.String({ description: 'The `webhook-id`, the same at every delivery of the event.' }),
  state: described(DeliveryState, '`skipped` if the webhook was disabled.'),
  response_code: described(Nullable(Type.Integer()), 'The status of your response; null without one.'),
  duration_ms: described(Nullable(Type.Integer()), 'How long the last attempt took.'),
  attempts: Type.Integer({ description: 'The first delivery and redeliveries.' }),
  reason: described(Nullable(Type.String()), 'Why it failed or was skipped.'),
  created_at: described(IsoTime, 'When the event came for this webhook.'),
  response_body: Type.Optional(
    Type.String({
      description:
        'The first 2 kB of the response’s body, as text, of a failed delivery, a test or a redelivery; absent for other deliveries and empty bodies.',
    }),
  ),
  payload: Type.Unknown({ description: 'The JSON that was posted.' }),
  request: Type.Optional(
    Type.Object(
      { url: Type.String(), headers: Type.Record(Type.String(), Type.String()), body: Type.String() },
      { description: 'The last POST byte for byte, for a test or a redelivery that a person requested; absent for other deliveries.' },
    ),
  ),
});
export type DeliveryRecord = Static<typeof DeliveryRecord>;

/** @param from,to when the delivery was created, both included */
export const ListDeliveries = operation('outbound-webhook-dispatcher', 'list-deliveries', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    webhook_id: Id,
    ...PageRequest,
    state: Nullable(DeliveryState),
    event: Type.Optional(Type.String()),
    from: Type.Optional(IsoTime),
    to: Type.Optional(IsoTime),
  }),
  response: Type.Object({ deliveries: Type.Array(DeliveryRecord), next_cursor: NextCursor }),
  errors: ['NOT_FOUND'],
});

export const GetDelivery = operation('outbound-webhook-dispatcher', 'get-delivery', {
  isRead: true,
  request: Type.Object({ business_id: Id, webhook_id: Id, delivery_id: Id }),
  response: Type.Object({ delivery: DeliveryRecord }),
  errors: ['NOT_FOUND'],
});

/** The deliveries of events, for the timeline of a message. */
export const FindDeliveries = operation('outbound-webhook-dispatcher', 'find-deliveries', {
  isRead: true,
  request: Type.Object({ business_id: Id, event_ids: Type.Array(Type.String(), { minItems: 1, maxItems: 10 }) }),
  response: Type.Object({
    deliveries: Type.Array(
      Type.Composite([
        Type.Omit(DeliveryRecord, ['payload', 'request', 'response_body']),
        Type.Object({ webhook_id: Id, webhook_name: Type.String() }),
      ]),
    ),
  }),
});

/** Delivers an event again; changes no counter (decision 34). CONFLICT while the delivery is in progress or its webhook is disabled. */
export const Redeliver = operation('outbound-webhook-dispatcher', 'redeliver', {
  request: Type.Object({ business_id: Id, webhook_id: Id, delivery_id: Id }),
  response: Type.Object({}),
  errors: ['NOT_FOUND', 'CONFLICT'],
});

/**
 * Delivers a sample of an event, by default of the webhook's first one; the webhook need not subscribe to it. Moves no counter (decision 34).
 * CONFLICT when the webhook is disabled, or 20 of its tests wait.
 */
export const TestWebhook = operation('outbound-webhook-dispatcher', 'test-webhook', {
  request: Type.Object({ business_id: Id, webhook_id: Id, event: Nullable(Type.String()) }),
  response: Type.Object({ delivery_id: Id }),
  errors: ['NOT_FOUND', 'CONFLICT'],
});
