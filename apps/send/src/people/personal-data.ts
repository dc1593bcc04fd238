import { isoTime } from '@mgw/postgres';
import { BATCH, ERASED, erasedId, hadName, PAGE_ROWS, type PersonalData } from '@mgw/service';
import { INBOUND_PLACE } from '../inbox/thread.store';
import { lastStatement } from '../suppression/suppression';

const IN_CONVERSATION = 'r.business_id = person.business_id AND r.conversation_id = ANY (person.conversations)';
const OWN = 'r.business_id = person.business_id AND r.id = ANY (person.conversations)';
const ORDER = 'r.place, r.message_id';
/** A page of the messages of all conversations, in the order of an index on `place`. A key is time and message id, in JSON. */
const pageOf = (
  table: string,
  place: string,
  type: 'timestamp' | 'timestamptz',
) => `SELECT r.*, json_build_array(r.place::text, r.message_id)::text AS key
  FROM person CROSS JOIN unnest(person.conversations) c (id) CROSS JOIN LATERAL (
    SELECT *, ${place} AS place FROM ${table} WHERE business_id = person.business_id AND conversation_id = c.id
      AND (${place}, message_id) > (coalesce($9::json->>0, '-infinity')::${type}, coalesce($9::json->>1, '')) ORDER BY ${place}, message_id LIMIT ${PAGE_ROWS}
  ) r ORDER BY ${ORDER} LIMIT ${PAGE_ROWS}`;
/** Null for an intent that never became a message, or whose message has expired. */
const IS_OF_PERSONS_MESSAGE = (intent: string) => `(SELECT m.conversation_id = ANY (person.conversations) FROM send.messages m
  WHERE m.business_id = ${intent}.business_id AND m.message_id = ${intent}.message_id LIMIT 1)`;
/** Whether the person had the name of an intent when it was made. */
const WAS_NAMED = (intent: string) => hadName(`${intent}.recipient`, `${intent}.created_at`);
const ERASED_INTENT = `recipient = '${ERASED}', text = '', details = NULL, message_id = ${erasedId('t.message_id')},
  state = CASE t.state WHEN 'unknown' THEN 'unconfirmed' ELSE t.state END, resolved_at = coalesce(t.resolved_at, now())`;
/** The id of the file in a sent message, as the index of intents has it. */
const SENT_FILE = (intent: string) => `coalesce(${intent}.details->>'media_id', ${intent}.details#>>'{offer,header,media_id}')`;
/**
 * Deletes the uploads of `batch (intent_id)` that nobody else was sent, with or without a stored copy (decision 402). An upload that the person
 * was sent in other messages too goes with the last of them.
 */
const ERASE_UPLOADS = `sent AS MATERIALIZED (
    SELECT DISTINCT ${SENT_FILE('i')} AS media_id FROM batch b JOIN send.intents i ON i.id = b.intent_id
  ), own AS MATERIALIZED (
    SELECT s.media_id FROM sent s CROSS JOIN person WHERE s.media_id IS NOT NULL
      AND NOT EXISTS (SELECT FROM send.intents o WHERE o.business_id = person.business_id AND ${SENT_FILE('o')} = s.media_id
        AND o.state <> 'refused' AND o.id NOT IN (SELECT intent_id FROM batch) AND (${IS_OF_PERSONS_MESSAGE('o')} IS NOT NULL OR NOT ${WAS_NAMED('o')}))
  ), uploads AS (
    DELETE FROM send.uploads u USING own, person WHERE u.business_id = person.business_id AND u.media_id = own.media_id RETURNING 1
  ), copies AS (
    UPDATE send.stored_files f SET conversation_id = person.conversations[1] FROM own, person
    WHERE f.business_id = person.business_id AND f.media_id = own.media_id AND f.conversation_id IS NULL RETURNING 1
  )`;
/** Every replica knows the business's key by then, so a send to the person's number finds the hash of an opt-out. */
const KEY_KNOWN = `EXISTS (SELECT FROM send.erasure_keys k WHERE k.business_id = person.business_id AND k.created_at < now() - interval '5 seconds')`;

/** Opt-outs stay as hashes of the person's names; sends stay as counts, without the person and the text. */
export const sendPersonalData: PersonalData = {
  exported: {
    conversation: `SELECT lpad(r.id::text, 19, '0'), json_build_object('phone', r.phone, 'user_id', r.user_id, 'name', r.name,
      'names', ARRAY(SELECT a.alias FROM send.conversation_aliases a WHERE a.conversation_id = r.id ORDER BY 1),
      'former_names', ARRAY(SELECT DISTINCT a.alias FROM send.former_aliases a WHERE a.conversation_id = r.id ORDER BY 1),
      'labels', ARRAY(SELECT l.name FROM send.conversation_labels c JOIN send.labels l ON l.id = c.label_id WHERE c.conversation_id = r.id ORDER BY 1),
      'first_inbound_at', ${isoTime('r.first_inbound_at')}, 'last_inbound_at', ${isoTime('r.last_inbound_at')},
      'created_at', ${isoTime('r.created_at')})
      FROM send.conversations r, person WHERE ${OWN}`,
    opt_out: `SELECT r.conversation_id || r.source, json_build_object('source', r.source, 'state', r.state, 'at', ${isoTime('r.at')}, 'reason', r.reason)
      FROM send.suppressions r, person WHERE ${IN_CONVERSATION}`,
    note: `SELECT lpad(r.id::text, 19, '0'), json_build_object('text', r.text, 'created_at', ${isoTime('r.created_at')})
      FROM send.notes r, person WHERE ${IN_CONVERSATION}`,
    message_received: {
      page: `SELECT r.key, json_build_object('message_id', r.message_id, 'type', r.type, 'text', r.text, 'caption', r.caption,
      'media_id', r.media_id, 'mime_type', r.mime_type, 'details', r.details, 'sent_at', ${isoTime('r.sent_at')},
      'edited_text', c.text, 'edited_at', ${isoTime('c.edited_at')}, 'deleted_at', ${isoTime('c.deleted_at')})
      FROM (${pageOf('send.inbound_messages', INBOUND_PLACE, 'timestamp')}) r
      LEFT JOIN send.message_changes c ON c.business_id = r.business_id AND c.message_id = r.message_id ORDER BY ${ORDER}`,
    },
    message_sent_details: {
      page: `SELECT r.key, CASE WHEN i.details IS NOT NULL THEN json_build_object('message_id', r.message_id, 'details', i.details) END
      FROM (${pageOf('send.messages', 'accepted_at', 'timestamptz')}) r LEFT JOIN send.intents i ON i.id = r.intent_id ORDER BY ${ORDER}`,
    },
    // Pages do not know of each other, so a file of messages on several pages comes several times.
    sent_file: {
      page: `SELECT r.key, CASE WHEN r.nth = 1 AND u.media_id IS NOT NULL THEN json_build_object('kind', 'file', 'media_id', u.media_id, 'filename', u.filename,
        'mime_type', u.mime_type, 'file_size', u.file_size, 'sha256', f.sha256) END
      FROM (
        SELECT r.*, ${SENT_FILE('i')} AS media_id, row_number() OVER (PARTITION BY ${SENT_FILE('i')} ORDER BY ${ORDER}) AS nth
        FROM (${pageOf('send.messages', 'accepted_at', 'timestamptz')}) r LEFT JOIN send.intents i ON i.id = r.intent_id
      ) r LEFT JOIN send.uploads u ON u.business_id = r.business_id AND u.media_id = r.media_id
      LEFT JOIN send.stored_files f ON f.business_id = u.business_id AND f.media_id = u.media_id AND f.state = 'stored' ORDER BY ${ORDER}`,
    },
    file: `SELECT r.media_id, json_build_object('media_id', r.media_id, 'mime_type', r.mime_type, 'file_size', r.file_size, 'sha256', r.sha256)
      FROM send.stored_files r, person WHERE ${IN_CONVERSATION} AND r.state = 'stored'`,
  },
  lock: ` SELECT send.lock_names(array_fill(business_id, ARRAY[cardinality(names)]), names) FROM person`,
  erased: [
    {
      batch: `, batch AS MATERIALIZED (
         SELECT r.business_id, r.message_id, r.sent_at FROM person JOIN send.inbound_messages r ON ${IN_CONVERSATION} LIMIT ${BATCH}
       ), changes AS (
         DELETE FROM send.message_changes c USING batch b WHERE c.business_id = b.business_id AND c.message_id = b.message_id
       )
       DELETE FROM send.inbound_messages r USING batch b
       WHERE r.business_id = b.business_id AND r.message_id = b.message_id AND r.sent_at = b.sent_at RETURNING 1`,
    },
    ` DELETE FROM send.notes r USING person WHERE ${IN_CONVERSATION} RETURNING 1`,
    ` DELETE FROM send.conversation_labels l USING send.conversations r, person WHERE l.conversation_id = r.id AND ${OWN} RETURNING 1`,
    // Their messages name the person, even where the number has passed to another one.
    {
      batch: `, batch AS MATERIALIZED (
         SELECT r.business_id, r.message_id, r.accepted_at, r.intent_id FROM person JOIN send.messages r ON ${IN_CONVERSATION} LIMIT ${BATCH}
       ), ${ERASE_UPLOADS}, sends AS (
         UPDATE send.intents t SET ${ERASED_INTENT} FROM batch b CROSS JOIN person WHERE t.id = b.intent_id AND t.recipient <> '${ERASED}'
       )
       DELETE FROM send.messages r USING batch b
       WHERE r.business_id = b.business_id AND r.message_id = b.message_id AND r.accepted_at = b.accepted_at RETURNING 1`,
    },
    // WhatsApp may deliver a message whose outcome is still open, so the person may have its file.
    `, batch AS MATERIALIZED (
       SELECT i.id AS intent_id FROM person JOIN send.intents i ON i.business_id = person.business_id AND i.state IN ('calling', 'unknown') AND ${WAS_NAMED('i')}
     ), ${ERASE_UPLOADS}
     SELECT FROM uploads UNION ALL SELECT FROM copies`,
    {
      batch: `, batch AS MATERIALIZED (
         SELECT r.business_id, r.media_id FROM person JOIN send.stored_files r ON ${IN_CONVERSATION} AND r.attempts = 0 LIMIT ${BATCH}
       )
       DELETE FROM send.stored_files r USING batch b WHERE r.business_id = b.business_id AND r.media_id = b.media_id AND r.attempts = 0 RETURNING 1`,
    },
    // The erasure waits until a gateway has deleted the file (HasErasedFiles). A copy in progress ends first.
    {
      batch: `, batch AS MATERIALIZED (
         SELECT r.business_id, r.media_id FROM person JOIN send.stored_files r ON ${IN_CONVERSATION} AND r.state <> 'deleting' LIMIT ${BATCH}
       )
       UPDATE send.stored_files r SET state = 'deleting', due_at = CASE r.state WHEN 'storing' THEN r.due_at ELSE now() END
       FROM batch b WHERE r.business_id = b.business_id AND r.media_id = b.media_id AND r.state <> 'deleting' RETURNING 1`,
    },
    // The trigger deletes the words of a changed name.
    ` UPDATE send.conversations r SET name = '' FROM person WHERE ${OWN} AND r.name <> '' RETURNING 1`,
    `, found AS MATERIALIZED (SELECT r.id FROM send.conversations r, person WHERE ${OWN}),
     gone AS MATERIALIZED (SELECT id FROM found, person WHERE ${KEY_KNOWN}),
     aliases AS (DELETE FROM send.conversation_aliases a USING gone WHERE a.conversation_id = gone.id RETURNING a.alias, a.conversation_id),
     opt_outs AS (DELETE FROM send.suppressions s USING gone WHERE s.conversation_id = gone.id RETURNING s.conversation_id, s.source, s.state, ${lastStatement('s')} AS at),
     hashed AS (
       INSERT INTO send.erased_opt_outs (business_id, name_hash, source, state, at)
       SELECT DISTINCT ON (2, o.source) person.business_id, ${erasedId('a.alias')}, o.source, o.state, o.at
       FROM aliases a JOIN opt_outs o USING (conversation_id) CROSS JOIN person WHERE o.state IS NOT NULL ORDER BY 2, o.source, o.at DESC
       ON CONFLICT (business_id, name_hash, source) DO UPDATE SET state = excluded.state, at = excluded.at
     ),
     former AS (DELETE FROM send.former_aliases a USING gone WHERE a.conversation_id = gone.id),
     conversations AS (DELETE FROM send.conversations c USING gone WHERE c.id = gone.id)
     SELECT FROM found`,
  ],
  scanned: [
    {
      table: 'send.intents',
      key: 'id',
      type: 'uuid',
      where: `r.business_id = person.business_id AND ${WAS_NAMED('r')} AND coalesce(${IS_OF_PERSONS_MESSAGE('r')}, true)`,
      // An unresolved send ends here: nothing that a status could add to would be left.
      change: `UPDATE send.intents t SET ${ERASED_INTENT} FROM hit CROSS JOIN person WHERE t.id = hit.id AND t.state <> 'calling'`,
    },
  ],
};
