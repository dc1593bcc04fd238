import { isoTime, onRow } from '@mgw/postgres';
import { BATCH, ERASED, erasedId, hadName, type PersonalData } from '@mgw/service';
import { REPORTS_LOCK } from './running/reports.store';

const REASON = 'This person was erased.';
/**
 * A recipient who is not written to yet is the person who has the number now. Once the person is being erased, a broadcast that is created
 * later is for somebody else.
 */
const AT = `coalesce(CASE WHEN r.state <> 'pending' THEN r.attempted_at END, greatest(b.created_at, person.requested_at))`;
const OWN = `b.business_id = person.business_id AND r.phone = ANY (person.names) AND ${hadName('r.phone', AT)}`;

const HAS_OUTCOME = `r.state IN ('pending', 'sent', 'failed')`;

/** Broadcasts keep their recipients and counts, without the person. A recipient who was not written to yet fails. */
export const broadcastPersonalData: PersonalData = {
  exported: {
    broadcast: `SELECT r.broadcast_id || ' ' || r.nth, json_build_object('broadcast', b.name, 'template', b.template_name, 'language', b.language,
      'body_params', r.body_params, 'header_params', r.header_params, 'button_params', r.button_params, 'state', r.state,
      'attempted_at', ${isoTime('r.attempted_at')}, 'message_id', r.message_id, 'reason', r.reason, 'delivery', r.delivery, 'replied_at', ${isoTime('r.replied_at')})
      FROM person CROSS JOIN broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id WHERE ${OWN}`,
  },
  lock: ` SELECT pg_advisory_xact_lock_shared(hashtext('${REPORTS_LOCK}'))`,
  erased: [
    // Locks broadcasts before their recipients, as every transaction does.
    {
      batch: `, found AS MATERIALIZED (
         SELECT r.broadcast_id, r.nth, r.message_id FROM person CROSS JOIN broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id
         WHERE ${OWN} AND ${onRow(HAS_OUTCOME)} LIMIT ${BATCH}
       ), unreported AS (
         DELETE FROM broadcast.reports f USING found CROSS JOIN person WHERE f.business_id = person.business_id AND f.message_id = found.message_id
       ), held AS MATERIALIZED (
         SELECT id FROM broadcast.broadcasts WHERE id IN (SELECT broadcast_id FROM found) ORDER BY id FOR NO KEY UPDATE
       ), erased AS (
         UPDATE broadcast.recipients r SET phone = '${ERASED}', body_params = '{}', header_params = '{}', button_params = '{}', message_id = ${erasedId('r.message_id')},
           state = CASE r.state WHEN 'pending' THEN 'failed' ELSE r.state END, reason = CASE r.state WHEN 'pending' THEN '${REASON}' ELSE r.reason END
         FROM held JOIN found ON found.broadcast_id = held.id CROSS JOIN person
         WHERE r.broadcast_id = found.broadcast_id AND r.nth = found.nth AND ${onRow(HAS_OUTCOME)} RETURNING r.broadcast_id, r.reason
       ), counted AS (
         UPDATE broadcast.broadcasts b SET failed = b.failed + n.count
         FROM (SELECT broadcast_id, count(*)::integer AS count FROM erased WHERE reason = '${REASON}' GROUP BY broadcast_id) n WHERE b.id = n.broadcast_id
       )
       SELECT FROM erased`,
    },
    // The erasure waits for attempts without an outcome, which write the row once more.
    ` SELECT FROM person CROSS JOIN broadcast.recipients r JOIN broadcast.broadcasts b ON b.id = r.broadcast_id WHERE ${OWN}`,
  ],
};
