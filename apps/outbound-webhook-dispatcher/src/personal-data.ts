import { isEventOfPerson, isOfPerson, namesPerson, type PersonalData } from '@mgw/service';

/**
 * The event's own conversation is the last one of its body: the values of a flow, which may use the word too, come before it. PostgreSQL does
 * not read JSON with escaped NULs.
 */
const CONVERSATION_OF_FEED_EVENT = `substring(r.body FROM '.*"conversation_id":(\\d{1,18})')::bigint`;

/**
 * Deliveries, the backlog and the feed are copies of events, so they are not exported. Open deliveries end first, because their lanes
 * count them; those of a deleted webhook have no lane. The backlog comes first, because its events become the others.
 */
export const dispatcherPersonalData: PersonalData = {
  scanned: [
    {
      table: 'dispatch.backlog',
      key: 'id',
      type: 'bigint',
      keyedByBusiness: true,
      where: `r.business_id = person.business_id AND ${isEventOfPerson('r')}`,
      change: `DELETE FROM dispatch.backlog t USING hit, person WHERE t.business_id = person.business_id AND t.id = hit.id`,
    },
    {
      table: 'dispatch.feed_events',
      key: 'seq',
      type: 'bigint',
      keyedByBusiness: true,
      where: `r.business_id = person.business_id AND ${isOfPerson(CONVERSATION_OF_FEED_EVENT, namesPerson('r.body', 'r.created_at'))}`,
      change: `DELETE FROM dispatch.feed_events t USING hit, person WHERE t.business_id = person.business_id AND t.seq = hit.seq`,
    },
    {
      table: 'dispatch.deliveries',
      key: 'id',
      type: 'bigint',
      where: `r.business_id = person.business_id AND ${isEventOfPerson('r')}`,
      change: `DELETE FROM dispatch.deliveries t USING hit WHERE t.id = hit.id
        AND (NOT t.queued AND t.state NOT IN ('pending', 'running') OR t.webhook_id IN (SELECT webhook_id FROM dispatch.deleted_webhooks))`,
    },
  ],
};
