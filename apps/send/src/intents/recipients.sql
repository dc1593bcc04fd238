-- Whether the recipient of each send may receive it (decision 1): the suppression that refuses it, the strictest first, and whether it needs
-- an open window that is closed. send.reserve and dry runs share it. nth counts from 1.
--
-- p_hash is the keyed hash of the recipient if the business has erased people, otherwise null. One snapshot reads the opt-outs of conversations
-- and of erased people, so an erasure at the same moment hides no opt-out (decision 382).
CREATE OR REPLACE FUNCTION send.check_recipients(
  p_business bigint[], p_recipient text[], p_hash text[], p_type text[], p_marketing boolean[], p_needs_window boolean[], p_now timestamptz
) RETURNS TABLE (nth bigint, conversation_id bigint, last_inbound_at timestamptz, suppression text, window_closed boolean)
LANGUAGE sql STABLE AS $$
  SELECT r.nth, c.id, c.last_inbound_at,
         (SELECT s.state FROM (
            SELECT state FROM send.suppressions WHERE conversation_id = c.id
            UNION ALL SELECT state FROM send.erased_opt_outs WHERE business_id = r.business AND name_hash = r.hash
          ) s
          WHERE send.suppression_applies(s.state, r.type, r.marketing, EXISTS (
            SELECT FROM send.settings WHERE settings.business_id = r.business AND settings.otp_to_opted_out))
          ORDER BY send.suppression_strictness(s.state) LIMIT 1),
         r.needs_window AND NOT send.window_open(c.last_inbound_at, c.window_denied_for, p_now)
  FROM unnest(p_business, p_recipient, p_hash, p_type, p_marketing, p_needs_window)
    WITH ORDINALITY AS r(business, recipient, hash, type, marketing, needs_window, nth)
  LEFT JOIN send.conversation_aliases a ON a.business_id = r.business AND a.alias = r.recipient
  LEFT JOIN send.conversations c ON c.id = a.conversation_id
$$;
