-- The rank of a suppression, 1 for the strictest. If a person has several, the strictest applies (spec §4.3, decision 18).
CREATE OR REPLACE FUNCTION send.suppression_strictness(state text) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT array_position(ARRAY['blocked', 'opted_out', 'opted_out_marketing'], state)
$$;

-- Whether a suppression refuses a message (decision 18): opted_out_marketing refuses MARKETING templates, the others refuse everything.
-- A setting of the business lets OTPs through to people who opted out.
CREATE OR REPLACE FUNCTION send.suppression_applies(state text, type text, marketing boolean, otp_to_opted_out boolean)
RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE state
    WHEN 'blocked' THEN true
    WHEN 'opted_out' THEN type <> 'otp' OR NOT otp_to_opted_out
    WHEN 'opted_out_marketing' THEN marketing
    ELSE false
  END
$$;
