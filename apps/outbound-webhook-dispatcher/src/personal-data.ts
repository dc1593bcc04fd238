import { isOfPerson, namesPerson, type PersonalData } from '@mgw/service';

/**
 * Deliveries and the feed are copies of events, so they are not exported. Open ones end first, because their lanes count them; those of a
 * deleted webhook have no lane.
 */
export const dispatcherPersonalData: PersonalData = {
  scanned: [
    {
      table: 'dispatch.feed_events',
      key: 'seq',
      type: 'bigint',
      keyedByBusiness: true,
      where: `r.business_id = person.business_id AND ${namesPerson('r.body')}`,
      change: `DELETE FROM dispatch.feed_events t USING hit, person WHERE t.business_id = person.business_id AND t.seq = hit.seq`,
    },
    {
      table: 'dispatch.deliveries',
      key: 'id',
      type: 'bigint',
      where: `r.business_id = person.business_id AND ${isOfPerson('r')}`,
      change: `DELETE FROM dispatch.deliveries t USING hit WHERE t.id = hit.id
        AND (NOT t.queued AND t.state NOT IN ('pending', 'running') OR t.webhook_id IN (SELECT webhook_id FROM dispatch.deleted_webhooks))`,
    },
  ],
};
