import { isoTime } from '@mgw/postgres';
import { BATCH, ERASED, erasedId, PAGE_ROWS, type PersonalData } from '@mgw/service';

const OWN = 'r.business_id = person.business_id AND r.conversation_id = ANY (person.conversations)';
const UNERASED = `${OWN} AND r.customer <> '${ERASED}'`;
/** Whether a worker holds the question, and will write the row once more. */
const HELD = `(r.state = 'pending' AND r.worker_id IS NOT NULL)`;

/** Replies stay as counts of the daily limit. A question that no worker holds is skipped. */
export const autoReplyPersonalData: PersonalData = {
  exported: {
    automatic_reply: {
      page: `SELECT lpad(r.id::text, 19, '0'), json_build_object('question', r.question, 'received_at', ${isoTime('r.received_at')}, 'reply', r.reply,
      'state', r.state, 'message_id', r.message_id)
      FROM person CROSS JOIN unnest(person.conversations) c (id) CROSS JOIN LATERAL (
        SELECT * FROM auto_reply.replies r WHERE r.business_id = person.business_id AND r.conversation_id = c.id
          AND r.id > coalesce($9::text, '0')::bigint ORDER BY r.id LIMIT ${PAGE_ROWS}
      ) r ORDER BY r.id LIMIT ${PAGE_ROWS}`,
    },
  },
  erased: [
    {
      batch: `, batch AS MATERIALIZED (
         SELECT r.id FROM auto_reply.replies r, person WHERE ${UNERASED} AND NOT ${HELD} LIMIT ${BATCH}
       )
       UPDATE auto_reply.replies r SET customer = '${ERASED}', question = '', reply = NULL, inbound_message_id = ${erasedId('r.inbound_message_id')},
         message_id = ${erasedId('r.message_id')}, state = CASE r.state WHEN 'pending' THEN 'skipped' ELSE r.state END,
         reserved_at = CASE WHEN r.state = 'pending' AND NOT r.sending THEN NULL ELSE r.reserved_at END, ended_at = coalesce(r.ended_at, now())
       FROM batch CROSS JOIN person WHERE r.id = batch.id AND NOT ${HELD} RETURNING 1`,
    },
    // The erasure waits for the questions that a worker holds.
    ` SELECT FROM auto_reply.replies r, person WHERE ${UNERASED}`,
  ],
};
