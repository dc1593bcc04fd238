import { ERASED, erasedId, type PersonalData } from '@mgw/service';

const OWN = 'r.business_id = person.business_id AND r.conversation_id = ANY (person.conversations)';

/** Replies stay as counts of the daily limit. A question that no worker holds is skipped. */
export const autoReplyPersonalData: PersonalData = {
  exported: {
    automatic_reply: `SELECT lpad(r.id::text, 19, '0'), json_build_object('question', r.question, 'received_at', r.received_at, 'reply', r.reply,
      'state', r.state, 'message_id', r.message_id) FROM auto_reply.replies r, person WHERE ${OWN}`,
  },
  erased: [
    `, found AS MATERIALIZED (SELECT r.id FROM auto_reply.replies r, person WHERE ${OWN} AND r.customer <> '${ERASED}'),
     erased AS (
       UPDATE auto_reply.replies r SET customer = '${ERASED}', question = '', reply = NULL, inbound_message_id = ${erasedId('r.inbound_message_id')},
         message_id = ${erasedId('r.message_id')}, state = CASE r.state WHEN 'pending' THEN 'skipped' ELSE r.state END,
         reserved_at = CASE WHEN r.state = 'pending' AND NOT r.sending THEN NULL ELSE r.reserved_at END, ended_at = coalesce(r.ended_at, now())
       FROM found CROSS JOIN person WHERE r.id = found.id AND (r.state <> 'pending' OR r.worker_id IS NULL)
     )
     SELECT FROM found`,
  ],
};
