-- The day of a business that a send counts for (decision 20).
CREATE OR REPLACE FUNCTION send.usage_day(at timestamptz, zone text) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (at AT TIME ZONE zone)::date
$$;

-- Seconds until the next day of a business begins, rounded up.
CREATE OR REPLACE FUNCTION send.seconds_to_midnight(at timestamptz, zone text) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT ceil(extract(epoch FROM (send.usage_day(at, zone) + 1)::timestamp AT TIME ZONE zone - at))::integer
$$;

-- Messages that the daily cap still allows, out of those requested. A cap below what is used allows none.
CREATE OR REPLACE FUNCTION send.allowed_by_cap(requested bigint, cap integer, used integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT least(requested, greatest(cap - used, 0))::integer
$$;
