import { BATCH, ERASED, erasedId, hadName, isOfPerson, type PersonalData } from '@mgw/service';

/**
 * A record without a conversation is a message that was not sent. If it was sent after all, the record has no time and no text, and only
 * keeps the failure out of the log.
 */
const OWN = `r.business_id = person.business_id AND r.recipient = ANY (person.names)
  AND ${isOfPerson('r.conversation_id', `(r.sent_at IS NULL OR ${hadName('r.recipient', 'r.sent_at')})`)}`;

/** The log and its counts keep a row for each message, without the person and the text. */
export const statusPersonalData: PersonalData = {
  exported: {
    message_sent: `SELECT r.message_id, json_build_object('message_id', r.message_id, 'to', r.recipient, 'sent_at', r.sent_at, 'type', r.type,
      'template', r.template, 'text', r.text, 'sent_by', r.sent_by, 'status', r.status, 'failure_reason', r.failure_reason, 'market', r.market)
      FROM status.records r, person WHERE ${OWN} AND r.sent_at IS NOT NULL`,
    status: `SELECT concat_ws(' ', h.message_id, h.status, h.occurred_at), json_build_object('message_id', h.message_id, 'status', h.status,
      'occurred_at', h.occurred_at, 'error', h.error_text)
      FROM person JOIN status.records r ON ${OWN} JOIN status.history h ON h.business_id = r.business_id AND h.message_id = r.message_id`,
  },
  erased: [
    {
      batch: `, found AS MATERIALIZED (
       SELECT r.business_id, r.message_id, r.month, ${erasedId('r.message_id')} AS erased_id FROM status.records r, person WHERE ${OWN} LIMIT ${BATCH}
     ),
     keys AS (UPDATE status.record_keys k SET message_id = f.erased_id FROM found f WHERE k.business_id = f.business_id AND k.message_id = f.message_id),
     history AS (UPDATE status.history h SET message_id = f.erased_id FROM found f WHERE h.business_id = f.business_id AND h.message_id = f.message_id)
     UPDATE status.records r SET message_id = f.erased_id, recipient = '${ERASED}', text = '', conversation_id = NULL
     FROM found f WHERE r.business_id = f.business_id AND r.message_id = f.message_id AND r.month = f.month RETURNING 1`,
    },
  ],
};
