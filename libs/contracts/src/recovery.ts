import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime, Nullable } from './fields';
import { operation } from './operation';

/** States of deliveries that a recovery takes. */
export const RECOVERABLE_STATES = ['failed', 'skipped'] as const;
/** Maximum number of deliveries of one recovery. */
export const MAX_RECOVERED = 10_000;

const Count = Type.Integer({ minimum: 0 });
const OF_WEBHOOK = { business_id: Id, webhook_id: Id };

/** The last recovery of a webhook. */
export const Recovery = Type.Object({
  since: IsoTime,
  until: Nullable(IsoTime),
  started_at: IsoTime,
  queued: { ...Count, description: 'The deliveries that it took.' },
  left: { ...Count, description: 'The deliveries that have not been attempted yet; 0 when it has ended.' },
  cancelled: Count,
});
export type Recovery = Static<typeof Recovery>;

/**
 * Delivers ended deliveries of a period again, in their order, one at a time, while live events go on (decision 353). `next_since` is null if it took
 * all of them; otherwise the next recovery begins there. CONFLICT while one runs or the webhook is disabled.
 * @param since,until when the delivery was created, both included
 */
export const RecoverDeliveries = operation('outbound-webhook-dispatcher', 'recover', {
  request: Type.Object({
    ...OF_WEBHOOK,
    since: IsoTime,
    until: Type.Optional(IsoTime),
    states: Type.Array(Type.Union(RECOVERABLE_STATES.map((state) => Type.Literal(state))), { minItems: 1, maxItems: 10 }),
  }),
  response: Type.Object({ queued: Count, next_since: Nullable(IsoTime) }),
  errors: ['NOT_FOUND', 'CONFLICT', 'RATE_LIMITED'],
});

export const GetRecovery = operation('outbound-webhook-dispatcher', 'get-recovery', {
  isRead: true,
  request: Type.Object(OF_WEBHOOK),
  response: Type.Object({ recovery: Nullable(Recovery) }),
  errors: ['NOT_FOUND'],
});

/** Skips the deliveries of a recovery that have not been attempted. */
export const CancelRecovery = operation('outbound-webhook-dispatcher', 'cancel-recovery', {
  request: Type.Object(OF_WEBHOOK),
  response: Type.Object({ cancelled: Count }),
  errors: ['NOT_FOUND', 'RATE_LIMITED'],
});
