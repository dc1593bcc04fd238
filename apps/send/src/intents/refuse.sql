-- A definite refusal refunds the Idempotency-Key and the place under the daily cap, on the day that the send counted for, once: only the
-- call that makes the transition refunds (guarantees §1, S5). Rows are locked in the same order as in send.reserve.
CREATE OR REPLACE FUNCTION send.refuse(p_id uuid[], p_reason text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_refused uuid[];
BEGIN
  WITH locked AS (
    SELECT id FROM send.intents WHERE id = ANY (p_id) AND state IN ('calling', 'unknown') ORDER BY id FOR UPDATE
  ), refused AS (
    UPDATE send.intents i SET state = 'refused', failure_reason = r.reason, resolved_at = clock_timestamp()
    FROM unnest(p_id, p_reason) AS r(id, reason) JOIN locked USING (id)
    WHERE i.id = r.id
    RETURNING i.id
  )
  SELECT coalesce(array_agg(id), '{}') INTO v_refused FROM refused;

  PERFORM FROM send.idempotency_keys WHERE intent_id = ANY (v_refused) ORDER BY business_id, api_key_id, key FOR UPDATE;
  DELETE FROM send.idempotency_keys WHERE intent_id = ANY (v_refused);

  PERFORM FROM send.daily_usage u
  WHERE (u.api_key_id, u.day) IN (SELECT i.api_key_id, i.usage_day FROM send.intents i WHERE i.id = ANY (v_refused))
  ORDER BY u.api_key_id, u.day FOR UPDATE;
  UPDATE send.daily_usage u SET used = u.used - refund.messages
  FROM (SELECT i.api_key_id, i.usage_day, count(*)::integer AS messages FROM send.intents i
        WHERE i.id = ANY (v_refused) AND i.api_key_id IS NOT NULL GROUP BY 1, 2) refund
  WHERE u.api_key_id = refund.api_key_id AND u.day = refund.usage_day;
END $$;
