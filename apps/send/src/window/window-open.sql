-- The window stays open for 24 hours after the person's last message (spec §3.2, decision 37).
CREATE OR REPLACE FUNCTION send.window_closes_at(last_inbound_at timestamptz) RETURNS timestamptz LANGUAGE sql STABLE AS $$
  SELECT last_inbound_at + interval '24 hours'
$$;

-- False if the person never wrote, or if the platform refused a message in this very window (131047).
CREATE OR REPLACE FUNCTION send.window_open(last_inbound_at timestamptz, window_denied_for timestamptz, at timestamptz)
RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(at < send.window_closes_at(last_inbound_at) AND last_inbound_at IS DISTINCT FROM window_denied_for, false)
$$;
