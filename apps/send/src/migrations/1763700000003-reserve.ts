import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Idempotency look-up, daily cap and intents of one batch, in one statement for the caller and one transaction (guarantees §1).
 *
 * Its steps each see what was committed before them, which one plain SQL statement cannot: a twin that waited for the same
 * Idempotency-Key must see the winner, and must not have used up the cap. Rows are locked in the order keys, usage, each sorted,
 * the same as in send.refuse, so that batches never wait for each other in a circle. Two requests of one batch never carry
 * the same key (the caller sees to it).
 */
export const RESERVE = `
CREATE FUNCTION send.reserve(
  p_id uuid[], p_business bigint[], p_api_key bigint[], p_cap integer[], p_zone text[], p_key text[], p_fingerprint text[],
  p_recipient text[], p_type text[], p_sent_by text[], p_template text[], p_text text[], p_now timestamptz
) RETURNS TABLE (
  outcome text, earlier_id uuid, fingerprint text, state text, message_id text, recipient text, used integer, seconds_to_midnight integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- tests set the clock; the day is always the database's
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_winners uuid[] := p_id;
  v_reserved integer;
BEGIN
  IF cardinality(array_remove(p_key, NULL)) > 0 THEN
    -- Waits for a twin that is not committed yet. A key older than 24 hours is free again (product decision 24).
    INSERT INTO send.idempotency_keys AS k (business_id, api_key_id, key, fingerprint, intent_id, created_at)
    SELECT r.business, coalesce(r.api_key, 0), r.key, r.fingerprint, r.id, v_now
    FROM unnest(p_id, p_business, p_api_key, p_key, p_fingerprint) AS r(id, business, api_key, key, fingerprint)
    WHERE r.key IS NOT NULL
    ORDER BY 1, 2, 3
    ON CONFLICT (business_id, api_key_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, intent_id = excluded.intent_id, created_at = excluded.created_at
      WHERE k.created_at <= v_now - interval '24 hours';

    SELECT coalesce(array_agg(r.id), '{}') INTO v_winners
    FROM unnest(p_id, p_business, p_api_key, p_key) AS r(id, business, api_key, key)
    LEFT JOIN send.idempotency_keys k ON k.business_id = r.business AND k.api_key_id = coalesce(r.api_key, 0) AND k.key = r.key
    WHERE r.key IS NULL OR k.intent_id = r.id;
  END IF;

  -- Exact under any number of writers: the row lock orders them, and nobody adds beyond the cap (product decision 20).
  INSERT INTO send.daily_usage AS u (api_key_id, day, used, cap, granted)
  SELECT r.api_key, (v_now AT TIME ZONE r.zone)::date, least(count(*), min(r.cap)), min(r.cap), least(count(*), min(r.cap))
  FROM unnest(p_id, p_api_key, p_cap, p_zone) AS r(id, api_key, cap, zone)
  WHERE r.api_key IS NOT NULL AND r.id = ANY (v_winners)
  GROUP BY 1, 2
  ORDER BY 1, 2
  ON CONFLICT (api_key_id, day) DO UPDATE
    SET used = u.used + least(excluded.used, greatest(excluded.cap - u.used, 0)),
        cap = excluded.cap,
        granted = least(excluded.used, greatest(excluded.cap - u.used, 0));

  INSERT INTO send.intents (id, business_id, api_key_id, usage_day, state, recipient, type, sent_by, template, text, created_at)
  SELECT w.id, w.business, w.api_key, CASE WHEN w.api_key IS NULL THEN NULL ELSE w.day END, 'calling',
         w.recipient, w.type, w.sent_by, w.template, w.text, v_now
  FROM (
    SELECT r.*, (v_now AT TIME ZONE r.zone)::date AS day,
           row_number() OVER (PARTITION BY r.api_key, (v_now AT TIME ZONE r.zone)::date ORDER BY r.nth) AS place
    FROM unnest(p_id, p_business, p_api_key, p_zone, p_recipient, p_type, p_sent_by, p_template, p_text)
      WITH ORDINALITY AS r(id, business, api_key, zone, recipient, type, sent_by, template, text, nth)
    WHERE r.id = ANY (v_winners)
  ) w
  LEFT JOIN send.daily_usage u ON u.api_key_id = w.api_key AND u.day = w.day
  WHERE w.api_key IS NULL OR w.place <= u.granted;
  GET DIAGNOSTICS v_reserved = ROW_COUNT;

  -- Over the cap: the Idempotency-Key is not used up by a send that never was.
  IF v_reserved < cardinality(v_winners) THEN
    DELETE FROM send.idempotency_keys k
    WHERE k.intent_id = ANY (v_winners) AND NOT EXISTS (SELECT FROM send.intents i WHERE i.id = k.intent_id);
  END IF;

  RETURN QUERY
  SELECT CASE WHEN i.id IS NOT NULL THEN 'reserved' WHEN e.id IS NOT NULL THEN 'earlier' ELSE 'capped' END,
         e.id, k.fingerprint, e.state, e.message_id, e.recipient, u.used,
         ceil(extract(epoch FROM ((v_now AT TIME ZONE r.zone)::date + 1)::timestamp AT TIME ZONE r.zone - v_now))::integer
  FROM unnest(p_id, p_business, p_api_key, p_zone, p_key) WITH ORDINALITY AS r(id, business, api_key, zone, key, nth)
  LEFT JOIN send.intents i ON i.id = r.id
  LEFT JOIN send.idempotency_keys k
    ON i.id IS NULL AND k.business_id = r.business AND k.api_key_id = coalesce(r.api_key, 0) AND k.key = r.key
  LEFT JOIN send.intents e ON e.id = k.intent_id
  LEFT JOIN send.daily_usage u ON i.id IS NULL AND u.api_key_id = r.api_key AND u.day = (v_now AT TIME ZONE r.zone)::date
  ORDER BY r.nth;
END $$`;

/**
 * A definite no gives back the Idempotency-Key and the place under the cap, to the day it was taken from, once: only the call
 * that makes the transition does it (guarantees §1, S5).
 */
const REFUSE = `
CREATE FUNCTION send.refuse(p_id uuid[], p_reason text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE v_refused uuid[];
BEGIN
  WITH locked AS (
    SELECT id FROM send.intents WHERE id = ANY (p_id) AND state IN ('calling', 'unknown') ORDER BY id FOR UPDATE
  ), refused AS (
    UPDATE send.intents i SET state = 'refused', failure_reason = r.reason, settled_at = clock_timestamp()
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
  UPDATE send.daily_usage u SET used = u.used - back.places
  FROM (SELECT i.api_key_id, i.usage_day, count(*)::integer AS places FROM send.intents i
        WHERE i.id = ANY (v_refused) AND i.api_key_id IS NOT NULL GROUP BY 1, 2) back
  WHERE u.api_key_id = back.api_key_id AND u.day = back.usage_day;
END $$`;

export class Reserve1763700000003 implements MigrationInterface {
  readonly name = 'Reserve1763700000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(RESERVE);
    await runner.query(REFUSE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION send.reserve');
    await runner.query('DROP FUNCTION send.refuse');
  }
}
