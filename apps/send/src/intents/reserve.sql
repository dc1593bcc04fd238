-- Reserves the sends of one batch in one statement and one transaction: suppression, window, Idempotency-Key, daily cap, intents. A person
-- who opted out before it begins is not written to (guarantees §1, decision 1).
--
-- plpgsql, because each step must see what was committed before it: a request that waited for the same Idempotency-Key must see the
-- winner and must not use up the cap. It locks keys, then usage, each sorted, as send.refuse does, so that batches never wait for each
-- other in a circle. The caller never passes two requests with one Idempotency-Key, nor two caps of one API key.
--
-- Returns no row for a request that is reserved for a person without a conversation. nth counts from 1.
CREATE OR REPLACE FUNCTION send.reserve(
  p_id uuid[], p_business bigint[], p_api_key bigint[], p_cap integer[], p_zone text[], p_key text[], p_fingerprint text[],
  p_recipient text[], p_hash text[], p_type text[], p_sent_by text[], p_template text[], p_text text[], p_user bigint[], p_details jsonb[],
  p_marketing boolean[], p_needs_window boolean[], p_broadcast bigint[], p_now timestamptz
) RETURNS TABLE (
  nth bigint, outcome text, conversation_id bigint, last_inbound_at timestamptz, suppression text,
  earlier_id uuid, fingerprint text, state text, message_id text, recipient text, used integer, seconds_to_midnight integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Tests set the clock.
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_conversation bigint[];
  v_last_inbound_at timestamptz[];
  v_suppression text[];
  v_window_closed boolean[];
  -- Whether each request has passed all checks so far.
  v_passes boolean[];
  v_reserved integer;
BEGIN
  SELECT array_agg(f.conversation_id), array_agg(f.last_inbound_at), array_agg(f.suppression), array_agg(f.window_closed),
         array_agg(f.suppression IS NULL AND NOT f.window_closed)
  INTO v_conversation, v_last_inbound_at, v_suppression, v_window_closed, v_passes
  FROM (
    SELECT * FROM send.check_recipients(p_business, p_recipient, p_hash, p_type, p_marketing, p_needs_window, v_now) ORDER BY nth
  ) f;

  IF cardinality(array_remove(p_key, NULL)) > 0 THEN
    -- Waits for an uncommitted request with the same key. A key is free again after 24 hours (decision 24).
    INSERT INTO send.idempotency_keys AS k (business_id, api_key_id, key, fingerprint, intent_id, created_at)
    SELECT r.business, coalesce(r.api_key, 0), r.key, r.fingerprint, r.id, v_now
    FROM unnest(p_id, p_business, p_api_key, p_key, p_fingerprint) WITH ORDINALITY AS r(id, business, api_key, key, fingerprint, nth)
    WHERE r.key IS NOT NULL AND v_passes[r.nth]
    ORDER BY 1, 2, 3
    ON CONFLICT (business_id, api_key_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, intent_id = excluded.intent_id, created_at = excluded.created_at
      WHERE k.created_at <= v_now - interval '24 hours';

    SELECT array_agg(w.passes) INTO v_passes FROM (
      SELECT v_passes[r.nth] AND (r.key IS NULL OR k.intent_id = r.id) AS passes
      FROM unnest(p_id, p_business, p_api_key, p_key) WITH ORDINALITY AS r(id, business, api_key, key, nth)
      LEFT JOIN send.idempotency_keys k ON k.business_id = r.business AND k.api_key_id = coalesce(r.api_key, 0) AND k.key = r.key
      ORDER BY r.nth
    ) w;
  END IF;

  -- The row lock orders all writers, so the count is exact and never exceeds the cap (decision 20).
  INSERT INTO send.daily_usage AS u (api_key_id, day, used, cap, granted)
  SELECT r.api_key, send.usage_day(v_now, r.zone), send.allowed_by_cap(count(*), min(r.cap), 0), min(r.cap), send.allowed_by_cap(count(*), min(r.cap), 0)
  FROM unnest(p_api_key, p_cap, p_zone) WITH ORDINALITY AS r(api_key, cap, zone, nth)
  WHERE r.api_key IS NOT NULL AND v_passes[r.nth]
  GROUP BY 1, 2
  ORDER BY 1, 2
  ON CONFLICT (api_key_id, day) DO UPDATE
    SET used = u.used + send.allowed_by_cap(excluded.used, excluded.cap, u.used),
        cap = excluded.cap,
        granted = send.allowed_by_cap(excluded.used, excluded.cap, u.used);

  INSERT INTO send.intents (id, business_id, api_key_id, usage_day, state, recipient, type, sent_by, template, text, user_id, details,
    broadcast_id, created_at)
  SELECT w.id, w.business, w.api_key, CASE WHEN w.api_key IS NULL THEN NULL ELSE w.day END, 'calling',
         w.recipient, w.type, w.sent_by, w.template, w.text, w.user_id, w.details, w.broadcast, v_now
  FROM (
    SELECT r.*, send.usage_day(v_now, r.zone) AS day,
           row_number() OVER (PARTITION BY r.api_key, send.usage_day(v_now, r.zone) ORDER BY r.nth) AS place
    FROM unnest(p_id, p_business, p_api_key, p_zone, p_recipient, p_type, p_sent_by, p_template, p_text, p_user, p_details, p_broadcast)
      WITH ORDINALITY AS r(id, business, api_key, zone, recipient, type, sent_by, template, text, user_id, details, broadcast, nth)
    WHERE v_passes[r.nth]
  ) w
  LEFT JOIN send.daily_usage u ON u.api_key_id = w.api_key AND u.day = w.day
  WHERE w.api_key IS NULL OR w.place <= u.granted;
  GET DIAGNOSTICS v_reserved = ROW_COUNT;

  IF v_reserved = cardinality(p_id) THEN
    RETURN QUERY
    SELECT r.nth, 'reserved', r.conversation, r.last_inbound_at, NULL, NULL::uuid, NULL, NULL, NULL, NULL, NULL::integer, NULL::integer
    FROM unnest(v_conversation, v_last_inbound_at) WITH ORDINALITY AS r(conversation, last_inbound_at, nth)
    WHERE r.conversation IS NOT NULL;
    RETURN;
  END IF;

  -- A send over the cap did not happen: free its Idempotency-Key.
  DELETE FROM send.idempotency_keys k
  WHERE k.intent_id = ANY (p_id) AND NOT EXISTS (SELECT FROM send.intents i WHERE i.id = k.intent_id);

  RETURN QUERY
  SELECT r.nth,
         CASE WHEN v_suppression[r.nth] IS NOT NULL THEN 'suppressed' WHEN v_window_closed[r.nth] THEN 'window_closed'
              WHEN i.id IS NOT NULL THEN 'reserved' WHEN e.id IS NOT NULL THEN 'earlier' ELSE 'capped' END,
         v_conversation[r.nth], v_last_inbound_at[r.nth], v_suppression[r.nth],
         e.id, k.fingerprint, e.state, e.message_id, e.recipient, u.used,
         send.seconds_to_midnight(v_now, r.zone)
  FROM unnest(p_id, p_business, p_api_key, p_zone, p_key) WITH ORDINALITY AS r(id, business, api_key, zone, key, nth)
  LEFT JOIN send.intents i ON i.id = r.id
  LEFT JOIN send.idempotency_keys k
    ON i.id IS NULL AND k.business_id = r.business AND k.api_key_id = coalesce(r.api_key, 0) AND k.key = r.key
  LEFT JOIN send.intents e ON e.id = k.intent_id
  LEFT JOIN send.daily_usage u ON i.id IS NULL AND u.api_key_id = r.api_key AND u.day = send.usage_day(v_now, r.zone);
END $$;
