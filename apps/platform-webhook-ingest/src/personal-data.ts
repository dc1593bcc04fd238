import { type PersonalData } from '@mgw/service';

/** Callbacks are the transport of messages that the send service exports. The hash of an erased one stays, so that a repeat has no effect. */
export const ingestPersonalData: PersonalData = {
  scanned: [
    {
      table: 'ingest.callbacks',
      key: 'id',
      type: 'bigint',
      where: `(r.lane = person.business_id OR (r.lane = 0 AND person.business_id = ANY (r.businesses))) AND EXISTS (
        SELECT FROM periods p WHERE r.received_at BETWEEN p.since AND p.until AND position(convert_to('"' || p.name || '"', 'UTF8') IN r.body) > 0)`,
      change: `UPDATE ingest.callbacks t SET body = '' FROM hit WHERE t.id = hit.id AND t.split_at IS NOT NULL`,
    },
  ],
  deadLetterOfBusiness: 'person.business_id = ANY (r.businesses)',
};
