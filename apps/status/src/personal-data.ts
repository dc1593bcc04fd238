import { isoTime } from '@mgw/postgres';
import { BATCH, ERASED, erasedId, hadName, isOfPerson, PAGE_ROWS, type PersonalData } from '@mgw/service';

/**
 * A record without a conversation is a message that was not sent. If it was sent after all, the record has no time and no text, and only
 * keeps the failure out of the log.
 */
const IS_OWN = isOfPerson('r.conversation_id', `(r.sent_at IS NULL OR ${hadName('r.recipient', 'r.sent_at')})`);
const OWN = `r.business_id = person.business_id AND r.recipient = ANY (person.names) AND ${IS_OWN}`;

const ORDER = 'r.recipient COLLATE "C", r.sent_at, r.message_id';
/** The records of one name in the order of an index, oldest first, those without a time last. */
const recordsOf = (
  condition: string,
) => `(SELECT r.* FROM status.records r WHERE r.business_id = person.business_id AND r.recipient = name.name
      AND ${condition} ORDER BY r.sent_at, r.message_id LIMIT ${PAGE_ROWS})`;
/**
 * A page of the records of all names, including another person's under one of them (decision 736). A key is name, time and message id, in JSON.
 * No text sorts before the empty one, so the bounds of a name that is not begun include all of its records.
 */
const RECORDS = `SELECT r.*, json_build_array(r.recipient, r.sent_at, r.message_id)::text AS key
  FROM person CROSS JOIN LATERAL (
    SELECT n AS name, CASE WHEN n = last.name THEN coalesce(last.sent_at, 'infinity') ELSE '-infinity' END AS sent_at,
      CASE WHEN n = last.name THEN last.message_id ELSE '' END AS message_id,
      CASE WHEN n = last.name AND last.sent_at IS NULL THEN last.message_id ELSE '' END AS undated_id
    FROM unnest(person.names) n
    CROSS JOIN (SELECT $9::json->>0 AS name, ($9::json->>1)::timestamptz AS sent_at, $9::json->>2 AS message_id) last
    WHERE n >= coalesce(last.name, '') COLLATE "C"
  ) name CROSS JOIN LATERAL (
    ${recordsOf('(r.sent_at, r.message_id) > (name.sent_at, name.message_id)')} UNION ALL ${recordsOf('r.sent_at IS NULL AND r.message_id > name.undated_id')}
  ) r ORDER BY ${ORDER} LIMIT ${PAGE_ROWS}`;

/** The log and its counts keep a row for each message, without the person and the text. */
export const statusPersonalData: PersonalData = {
  exported: {
    message_sent: {
      page: `SELECT r.key, CASE WHEN r.sent_at IS NOT NULL AND ${IS_OWN} THEN json_build_object('message_id', r.message_id, 'to', r.recipient,
        'sent_at', ${isoTime('r.sent_at')}, 'type', r.type, 'template', r.template, 'text', r.text, 'sent_by', r.sent_by, 'status', r.status,
        'failure_reason', r.failure_reason, 'market', r.market) END
        FROM (${RECORDS}) r CROSS JOIN person ORDER BY ${ORDER}`,
    },
    status: {
      page: `SELECT r.key, CASE WHEN h.status IS NOT NULL THEN json_build_object('message_id', h.message_id, 'status', h.status,
        'occurred_at', ${isoTime('h.occurred_at')}, 'error', h.error_text) END
        FROM (${RECORDS}) r CROSS JOIN person
        LEFT JOIN status.history h ON ${IS_OWN} AND h.business_id = r.business_id AND h.message_id = r.message_id
        ORDER BY ${ORDER}, h.occurred_at, h.status`,
    },
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
