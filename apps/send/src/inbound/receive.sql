-- Stores customers' messages, opens their windows and writes their events to the outbox, in one round trip.
--
-- A caller without a transaction passes the names of the senders with the conversations that it expects, in which they have written
-- before, and the words that it compared the texts with (send.opt_words). Unless all of that holds, nothing is stored and the only row has
-- nth 0. A caller that holds the locks of the names passes no names.
--
-- plpgsql, because the statement must see what was committed before it had the locks: they make the duplicate check safe, since a
-- partitioned table has no unique key over all months. nth counts the messages from 1. p_event_of names the message of an event, and
-- p_event_begins the events that are written only if the message starts the conversation.
CREATE OR REPLACE FUNCTION send.receive_messages(
  p_name_business bigint[], p_name text[], p_name_conversation bigint[],
  p_business bigint[], p_words text[], p_message text[], p_conversation bigint[], p_type text[], p_text text[], p_caption text[],
  p_media_type text[], p_media_id text[], p_mime_type text[], p_details text[], p_sent_at timestamptz[], p_sender text[],
  p_event text[], p_subject text[], p_key text[], p_body text[], p_traceparent text[], p_event_of bigint[], p_event_begins boolean[]
) RETURNS TABLE (nth bigint, begins boolean, older text[], stop_words text[], start_words text[], words text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF cardinality(p_name) > 0 THEN
    PERFORM send.lock_names(p_name_business, p_name);
    IF EXISTS (
      SELECT FROM unnest(p_name_business, p_name, p_name_conversation) AS n (business, name, conversation)
      WHERE NOT EXISTS (
        SELECT FROM send.conversation_aliases a JOIN send.conversations c ON c.id = a.conversation_id
        WHERE a.business_id = n.business AND a.alias = n.name AND a.conversation_id = n.conversation AND c.first_inbound_at IS NOT NULL
      )
    ) OR EXISTS (
      SELECT FROM unnest(p_business, p_words) AS n (business, words)
      WHERE coalesce((SELECT send.opt_words(s.stop_words, s.start_words) FROM send.settings s WHERE s.business_id = n.business), '') <> n.words
    ) THEN
      RETURN QUERY SELECT 0::bigint, false, NULL::text[], NULL::text[], NULL::text[], NULL;
      RETURN;
    END IF;
  END IF;

  RETURN QUERY
  WITH n AS (
    SELECT * FROM unnest(p_business, p_message, p_conversation, p_type, p_text, p_caption, p_media_type, p_media_id, p_mime_type, p_details,
                         p_sent_at, p_sender) WITH ORDINALITY
      AS n (business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, details, sent_at, name, nth)
  ), inserted AS (
    INSERT INTO send.inbound_messages
      (business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, details, sent_at, received_at)
    -- Microseconds keep the order within this call; statement_timestamp() keeps it between the calls of one transaction.
    SELECT business_id, message_id, conversation_id, type, text, caption, media_type, media_id, mime_type, details::json, sent_at,
           statement_timestamp() + nth * interval '1 microsecond'
    FROM n
    WHERE (SELECT true FROM send.inbound_messages m WHERE m.business_id = n.business_id AND m.message_id = n.message_id LIMIT 1) IS NULL
    ON CONFLICT DO NOTHING
    RETURNING business_id, message_id
  ), fresh AS (
    SELECT business_id, conversation_id, sent_at, name, n.type, nth FROM inserted JOIN n USING (business_id, message_id)
  ), changes AS (
    SELECT conversation_id AS id, min(sent_at) AS first, max(sent_at) AS last,
           (array_agg(name ORDER BY nth DESC) FILTER (WHERE name <> ''))[1] AS name,
           -- A reaction needs no reply.
           count(*) FILTER (WHERE type <> 'reaction') AS unread
    FROM fresh GROUP BY conversation_id
  ), locked AS (
    SELECT id, first_inbound_at FROM send.conversations WHERE id IN (SELECT id FROM changes) ORDER BY id FOR UPDATE
  ), advanced AS (
    UPDATE send.conversations c SET
      first_inbound_at = coalesce(c.first_inbound_at, least(changes.first, date_trunc('milliseconds', now()))),
      last_inbound_at = greatest(c.last_inbound_at, least(changes.last, date_trunc('milliseconds', now()))),
      name = coalesce(changes.name, c.name),
      unread_count = c.unread_count + changes.unread,
      waiting_since = CASE WHEN changes.unread > 0 THEN coalesce(c.waiting_since, now()) ELSE c.waiting_since END,
      last_received_at = CASE WHEN changes.unread > 0 THEN clock_timestamp() ELSE c.last_received_at END,
      closed_at = CASE WHEN changes.unread > 0 THEN NULL ELSE c.closed_at END
    FROM changes JOIN locked USING (id)
    WHERE c.id = changes.id
    RETURNING c.id, locked.first_inbound_at IS NULL AS was_silent
  ), recorded AS (
    SELECT fresh.nth, fresh.business_id, was_silent AND row_number() OVER (PARTITION BY conversation_id ORDER BY nth) = 1 AS begins
    FROM fresh JOIN advanced ON advanced.id = fresh.conversation_id
  ), published AS (
    INSERT INTO send.outbox (event_id, subject, ordering_key, body, traceparent)
    SELECT e.event, e.subject, e.key, e.body, e.traceparent
    FROM unnest(p_event, p_subject, p_key, p_body, p_traceparent, p_event_of, p_event_begins) WITH ORDINALITY
      AS e (event, subject, key, body, traceparent, of, begins, place)
    JOIN recorded r ON r.nth = e.of
    WHERE r.begins OR NOT e.begins
    ORDER BY e.place
    ON CONFLICT (event_id) DO NOTHING
  )
  SELECT r.nth, r.begins,
         -- The rule of unpublishedBefore (libs/events/src/outbox.ts).
         (SELECT CASE WHEN count(*) <= 1000 THEN coalesce(array_agg(o.event_id), '{}') END FROM (
            SELECT event_id FROM send.outbox
            WHERE (CASE WHEN published_at IS NULL THEN ordering_key END) COLLATE "C" = ANY (p_key) LIMIT 1001) o),
         s.stop_words, s.start_words, coalesce(send.opt_words(s.stop_words, s.start_words), '')
  FROM recorded r LEFT JOIN send.settings s ON s.business_id = r.business_id
  ORDER BY r.nth;
END $$;

-- A business's own words of opting out and in as one text, to compare them; empty without any.
CREATE OR REPLACE FUNCTION send.opt_words(p_stop text[], p_start text[]) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN p_stop IS NULL AND p_start IS NULL THEN '' ELSE coalesce(p_stop::text, '-') || coalesce(p_start::text, '-') END
$$;
