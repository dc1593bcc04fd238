import { Type, type Static } from '@sinclair/typebox';
import { Id, IsoTime } from './fields';
import { operation } from './operation';

const Seq = Type.Integer({ minimum: 0 });

/** An event in the feed of its business. */
export const FeedEvent = Type.Object({
  seq: {
    ...Seq,
    minimum: 1,
    description:
      'The number of the event among the events of the business, which have numbers without gaps. An erasure removes the events of a person with their numbers.',
  },
  event_id: Type.String({ description: 'The same as `webhook-id` of a delivery.' }),
  event: Type.String(),
  timestamp: IsoTime,
  data: Type.Object({}, { additionalProperties: true }),
});

/** A page of a feed. */
export const FeedPage = Type.Object({
  events: Type.Array(FeedEvent, { description: 'In the order of their numbers.' }),
  next_after: { ...Seq, description: 'Pass it as `after` of the next request.' },
  oldest: { ...Seq, description: 'The number of the oldest event that is kept; if none is kept, the number that the next event gets.' },
  gap: Type.Boolean({
    description:
      'True if events after `after` are no longer kept, or if `after` is higher than the newest number. The events then begin with the oldest one.',
  }),
});
export type FeedPage = Static<typeof FeedPage>;

/** Reads the feed of a business after a number, by default from its oldest event. The first read begins the feed. */
export const ListEvents = operation('outbound-webhook-dispatcher', 'list-events', {
  isRead: true,
  request: Type.Object({
    business_id: Id,
    after: Type.Optional(Seq),
    limit: Type.Integer({ minimum: 1, maximum: 100 }),
    types: Type.Optional(Type.Array(Type.String(), { minItems: 1, maxItems: 50 })),
  }),
  response: FeedPage,
});

/** Businesses of one request. */
export const MAX_FEEDS = 1_000;

/** The newest number in the feed of each business, in the order of the request; 0 without a feed. For gateways whose callers wait. */
export const FindNewestEvents = operation('outbound-webhook-dispatcher', 'find-newest-events', {
  deadlineMs: 1_000,
  request: Type.Object({ business_ids: Type.Array(Id, { minItems: 1, maxItems: MAX_FEEDS }) }),
  response: Type.Object({ newest: Type.Array(Seq) }),
});
