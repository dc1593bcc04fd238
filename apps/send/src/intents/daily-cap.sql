-- The day, in the business's time zone, whose daily cap a send counts against (spec §8, decision 20).
CREATE OR REPLACE FUNCTION send.usage_day(at timestamptz, zone text) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT (at AT TIME ZONE zone)::date
$$;

-- Seconds until the business's midnight, rounded up.
CREATE OR REPLACE FUNCTION send.seconds_to_midnight(at timestamptz, zone text) RETURNS integer LANGUAGE sql STABLE AS $$
  SELECT ceil(extract(epoch FROM (send.usage_day(at, zone) + 1)::timestamp AT TIME ZONE zone - at))::integer
$$;

-- How many of the requested messages the daily cap still allows; none if an operator lowered the cap below the usage (spec §8).
CREATE OR REPLACE FUNCTION send.allowed_by_cap(requested bigint, cap integer, used integer) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT least(requested, greatest(cap - used, 0))::integer
$$;
