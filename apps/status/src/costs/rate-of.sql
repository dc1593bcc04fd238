-- The price of a message to a market on a day; null without a rate. A rate of the market comes before the one of all others.
CREATE OR REPLACE FUNCTION status.rate_of(p_market text, p_category text, p_day date) RETURNS numeric LANGUAGE sql STABLE AS $$
  SELECT price FROM status.rates
  WHERE prefix IN (p_market, '*') AND category = replace(p_category, '-', '_') AND valid_from <= p_day
  ORDER BY prefix = '*', valid_from DESC LIMIT 1
$$;
