-- Whether the recipient of each send may receive it (decision 1): the suppression that refuses it, the strictest first, and whether it needs
-- an open window that is closed. send.reserve and dry runs share it. nth counts from 1.
CREATE OR REPLACE FUNCTION send.recipients(
  p_business bigint[], p_recipient text[], p_type text[], p_marketing boolean[], p_needs_window boolean[], p_now timestamptz
) RETURNS TABLE (nth bigint, conversation_id bigint, last_inbound_at timestamptz, suppression text, window_closed boolean)
LANGUAGE sql STABLE AS $$
  SELECT r.nth, c.id, c.last_inbound_at,
         (SELECT s.state FROM send.suppressions s
          WHERE s.conversation_id = c.id AND send.suppression_applies(s.state, r.type, r.marketing, EXISTS (
            SELECT FROM send.settings WHERE settings.business_id = r.business AND settings.otp_to_opted_out))
          ORDER BY send.suppression_strictness(s.state) LIMIT 1),
         r.needs_window AND NOT send.window_open(c.last_inbound_at, c.window_denied_for, p_now)
  FROM unnest(p_business, p_recipient, p_type, p_marketing, p_needs_window)
    WITH ORDINALITY AS r(business, recipient, type, marketing, needs_window, nth)
  LEFT JOIN send.conversation_aliases a ON a.business_id = r.business AND a.alias = r.recipient
  LEFT JOIN send.conversations c ON c.id = a.conversation_id
$$;
