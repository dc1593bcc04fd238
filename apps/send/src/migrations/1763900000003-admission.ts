import type { MigrationInterface, QueryRunner } from 'typeorm';
import { RESERVE } from './1763700000003-reserve';

/**
 * Suppression, window, Idempotency-Key, daily cap and intents of one batch, in one statement for the caller and one transaction:
 * who has opted out before it begins is not written to (guarantees §1, product decision 1).
 *
 * Its steps each see what was committed before them, which one plain SQL statement cannot: a twin that waited for the same
 * Idempotency-Key must see the winner, and must not have used up the cap. Rows are locked in the order keys, usage, each sorted,
 * the same as in send.refuse, so that batches never wait for each other in a circle. Two requests of one batch never carry
 * the same key (the caller sees to it).
 *
 * Answers only for requests that there is something to say of: all others are reserved, for people who are not known yet.
 */
const ADMIT = `
CREATE FUNCTION send.reserve(
  p_id uuid[], p_business bigint[], p_api_key bigint[], p_cap integer[], p_zone text[], p_key text[], p_fingerprint text[],
  p_recipient text[], p_type text[], p_sent_by text[], p_template text[], p_text text[], p_marketing boolean[], p_needs_window boolean[],
  p_now timestamptz
) RETURNS TABLE (
  nth bigint, outcome text, conversation_id bigint, last_inbound_at timestamptz, suppression text,
  earlier_id uuid, fingerprint text, state text, message_id text, recipient text, used integer, seconds_to_midnight integer
) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- tests set the clock; the day is always the database's
  v_now timestamptz := coalesce(p_now, clock_timestamp());
  v_conversation bigint[];
  v_last_inbound_at timestamptz[];
  v_suppression text[];
  v_window_closed boolean[];
  -- nothing stands against it so far
  v_goes boolean[];
  v_reserved integer;
BEGIN
  -- The window is open while now < last_inbound_at + 24 h (product decision 37), unless the platform denied that very window
  -- (131047). Of several suppressions the strictest is told (product decision 18): 'opted_out_marketing' keeps back MARKETING
  -- templates only, the others everything, but for codes that the business lets through to people who have opted out.
  SELECT array_agg(f.id), array_agg(f.last_inbound_at), array_agg(f.suppression), array_agg(f.window_closed),
         array_agg(f.suppression IS NULL AND NOT f.window_closed)
  INTO v_conversation, v_last_inbound_at, v_suppression, v_window_closed, v_goes
  FROM (
    SELECT c.id, c.last_inbound_at,
           (SELECT s.state FROM send.suppressions s
            WHERE s.conversation_id = c.id AND CASE s.state
              WHEN 'blocked' THEN true
              WHEN 'opted_out' THEN r.type <> 'otp' OR NOT EXISTS (
                SELECT FROM send.settings WHERE settings.business_id = r.business AND settings.otp_to_opted_out)
              WHEN 'opted_out_marketing' THEN r.marketing
              ELSE false END
            ORDER BY array_position(ARRAY['blocked', 'opted_out', 'opted_out_marketing'], s.state) LIMIT 1) AS suppression,
           r.needs_window AND NOT coalesce(v_now < c.last_inbound_at + interval '24 hours'
                                           AND c.last_inbound_at IS DISTINCT FROM c.window_denied_for, false) AS window_closed
    FROM unnest(p_business, p_recipient, p_type, p_marketing, p_needs_window)
      WITH ORDINALITY AS r(business, recipient, type, marketing, needs_window, nth)
    LEFT JOIN send.conversation_aliases a ON a.business_id = r.business AND a.alias = r.recipient
    LEFT JOIN send.conversations c ON c.id = a.conversation_id
    ORDER BY r.nth
  ) f;

  IF cardinality(array_remove(p_key, NULL)) > 0 THEN
    -- Waits for a twin that is not committed yet. A key older than 24 hours is free again (product decision 24).
    INSERT INTO send.idempotency_keys AS k (business_id, api_key_id, key, fingerprint, intent_id, created_at)
    SELECT r.business, coalesce(r.api_key, 0), r.key, r.fingerprint, r.id, v_now
    FROM unnest(p_id, p_business, p_api_key, p_key, p_fingerprint) WITH ORDINALITY AS r(id, business, api_key, key, fingerprint, nth)
    WHERE r.key IS NOT NULL AND v_goes[r.nth]
    ORDER BY 1, 2, 3
    ON CONFLICT (business_id, api_key_id, key) DO UPDATE
      SET fingerprint = excluded.fingerprint, intent_id = excluded.intent_id, created_at = excluded.created_at
      WHERE k.created_at <= v_now - interval '24 hours';

    SELECT array_agg(w.goes) INTO v_goes FROM (
      SELECT v_goes[r.nth] AND (r.key IS NULL OR k.intent_id = r.id) AS goes
      FROM unnest(p_id, p_business, p_api_key, p_key) WITH ORDINALITY AS r(id, business, api_key, key, nth)
      LEFT JOIN send.idempotency_keys k ON k.business_id = r.business AND k.api_key_id = coalesce(r.api_key, 0) AND k.key = r.key
      ORDER BY r.nth
    ) w;
  END IF;

  -- Exact under any number of writers: the row lock orders them, and nobody adds beyond the cap (product decision 20).
  INSERT INTO send.daily_usage AS u (api_key_id, day, used, cap, granted)
  SELECT r.api_key, (v_now AT TIME ZONE r.zone)::date, least(count(*), min(r.cap)), min(r.cap), least(count(*), min(r.cap))
  FROM unnest(p_api_key, p_cap, p_zone) WITH ORDINALITY AS r(api_key, cap, zone, nth)
  WHERE r.api_key IS NOT NULL AND v_goes[r.nth]
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
    WHERE v_goes[r.nth]
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

  -- Over the cap: the Idempotency-Key is not used up by a send that never was.
  DELETE FROM send.idempotency_keys k
  WHERE k.intent_id = ANY (p_id) AND NOT EXISTS (SELECT FROM send.intents i WHERE i.id = k.intent_id);

  RETURN QUERY
  SELECT r.nth,
         CASE WHEN v_suppression[r.nth] IS NOT NULL THEN 'suppressed' WHEN v_window_closed[r.nth] THEN 'window_closed'
              WHEN i.id IS NOT NULL THEN 'reserved' WHEN e.id IS NOT NULL THEN 'earlier' ELSE 'capped' END,
         v_conversation[r.nth], v_last_inbound_at[r.nth], v_suppression[r.nth],
         e.id, k.fingerprint, e.state, e.message_id, e.recipient, u.used,
         ceil(extract(epoch FROM ((v_now AT TIME ZONE r.zone)::date + 1)::timestamp AT TIME ZONE r.zone - v_now))::integer
  FROM unnest(p_id, p_business, p_api_key, p_zone, p_key) WITH ORDINALITY AS r(id, business, api_key, zone, key, nth)
  LEFT JOIN send.intents i ON i.id = r.id
  LEFT JOIN send.idempotency_keys k
    ON i.id IS NULL AND k.business_id = r.business AND k.api_key_id = coalesce(r.api_key, 0) AND k.key = r.key
  LEFT JOIN send.intents e ON e.id = k.intent_id
  LEFT JOIN send.daily_usage u ON i.id IS NULL AND u.api_key_id = r.api_key AND u.day = (v_now AT TIME ZONE r.zone)::date;
END $$`;

export class Admission1763900000003 implements MigrationInterface {
  readonly name = 'Admission1763900000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION send.reserve');
    await runner.query(ADMIT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION send.reserve');
    await runner.query(RESERVE);
  }
}
