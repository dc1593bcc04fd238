-- Only bitmap scans read GIN indexes, and each reads all entries of a term, so every scan ends after a number of rows.

-- Conversations with these digits, at least three, anywhere in a number.
CREATE OR REPLACE FUNCTION send.find_by_number(p_business bigint, p_digits text, p_most integer) RETURNS SETOF bigint
LANGUAGE sql STABLE SET enable_bitmapscan = on AS $$
  SELECT conversation_id FROM send.conversation_aliases
  WHERE send.number_triples(business_id, alias) @> ARRAY(
      SELECT p_business * 1000 + substr(p_digits, i, 3)::bigint FROM generate_series(1, length(p_digits) - 2) AS i)
    AND position(p_digits IN alias) > 0 AND CASE WHEN business_id = p_business THEN true ELSE false END
  LIMIT p_most
$$;

-- Messages with all these words, of which the last may be the beginning of a word. A frequent word is among the newest messages. Another one
-- has few matches in a month; months are read from the newest on, until enough matches are found.
CREATE OR REPLACE FUNCTION send.find_by_words(p_business bigint, p_text text, p_most integer)
RETURNS TABLE (conversation_id bigint, message_id text, direction text, body text, at timestamptz)
LANGUAGE plpgsql STABLE SET enable_bitmapscan = on AS $$
#variable_conflict use_column
DECLARE
  v_words text[] := array_remove(send.words(p_business, p_text), p_business || '/');
  v_last text := v_words[cardinality(v_words)];
  v_query tsquery;
  v_from timestamptz := date_trunc('month', now());
  v_to timestamptz := 'infinity';
  v_oldest timestamptz := (SELECT sent_at FROM send.inbound_messages WHERE -business_id = -p_business ORDER BY sent_at, message_id LIMIT 1);
  v_found integer;
  v_rows integer;
BEGIN
  IF v_last IS NULL THEN RETURN; END IF;
  -- A word has no character that a tsquery would quote. Fewer than three letters begin too many words.
  v_query := '''' || array_to_string(v_words, ''' & ''') || '''' || CASE WHEN length(v_last) > length(p_business || '/xx') THEN ':*' ELSE '' END;
  RETURN QUERY SELECT conversation_id, message_id, 'in', coalesce(text, caption), sent_at FROM (
      SELECT * FROM send.inbound_messages WHERE -business_id = -p_business ORDER BY sent_at DESC, message_id DESC LIMIT 500
    ) newest WHERE array_to_tsvector(send.words(business_id, coalesce(text, caption))) @@ v_query;
  GET DIAGNOSTICS v_found = ROW_COUNT;
  IF v_found >= 50 THEN RETURN; END IF;
  RETURN QUERY SELECT coalesce(m.conversation_id, a.conversation_id), i.message_id, 'out', i.text, i.created_at FROM (
      SELECT * FROM send.intents WHERE sent_by IN ('agent', 'ai') AND array_to_tsvector(send.words(business_id, text)) @@ v_query
        AND CASE WHEN business_id = p_business AND message_id IS NOT NULL THEN true ELSE false END
      LIMIT p_most
    ) i
    -- The recipient's number may have passed to another person, or the message may not be recorded yet.
    LEFT JOIN send.messages m ON m.business_id = i.business_id AND m.message_id = i.message_id AND m.accepted_at >= i.created_at - interval '1 day'
    LEFT JOIN send.conversation_aliases a ON a.business_id = i.business_id AND a.alias = i.recipient
    WHERE coalesce(m.conversation_id, a.conversation_id) IS NOT NULL;
  WHILE v_to > v_oldest AND v_found < p_most LOOP
    RETURN QUERY SELECT conversation_id, message_id, 'in', coalesce(text, caption), sent_at FROM send.inbound_messages
      WHERE sent_at >= v_from AND sent_at < v_to AND array_to_tsvector(send.words(business_id, coalesce(text, caption))) @@ v_query
        AND CASE WHEN business_id = p_business THEN true ELSE false END
      LIMIT p_most;
    GET DIAGNOSTICS v_rows = ROW_COUNT;
    v_found := v_found + v_rows;
    v_to := v_from;
    v_from := v_from - interval '1 month';
  END LOOP;
END $$;
