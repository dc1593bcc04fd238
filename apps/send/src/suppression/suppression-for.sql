-- The strictest of several suppressions counts (decision 18); 1 is the strictest.
CREATE OR REPLACE FUNCTION send.suppression_strictness(state text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT array_position(ARRAY['blocked', 'opted_out', 'opted_out_marketing'], state)
$$;

-- Whether a suppression holds a message back: opted_out_marketing holds back MARKETING templates, the others everything, except that a
-- business may let codes through to people who opted out.
CREATE OR REPLACE FUNCTION send.suppression_applies(state text, type text, marketing boolean, otp_to_opted_out boolean)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE state
    WHEN 'blocked' THEN true
    WHEN 'opted_out' THEN type <> 'otp' OR NOT otp_to_opted_out
    WHEN 'opted_out_marketing' THEN marketing
    ELSE false
  END
$$;
