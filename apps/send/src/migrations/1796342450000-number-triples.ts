import { migration } from '@mgw/postgres';
import { PENDING } from './1795924800000-search';

/** Most digits of a number that fits a bigint. */
const MAX_DIGITS = 18;
const TRIPLES = Array.from({ length: MAX_DIGITS - 2 }, (_, i) => `business * 1000 + alias::bigint / 1${'0'.repeat(i)} % 1000`);

/**
 * Indexes parts of numbers as integers instead of texts, which made the index the dearest part of a send to a new person. PostgreSQL puts
 * this function into the index's expression, because all that it calls is immutable too. Searches of the running version keep
 * `send.number_parts`; they scan until their function is replaced, in the same run.
 */
const INDEX = `
-- Every three digits of a number in a row, each with the business in front, so that a search reads entries of its own business only.
CREATE FUNCTION send.number_triples(business bigint, alias text) RETURNS bigint[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN alias ~ '^[0-9]{3,${MAX_DIGITS}}$' THEN (ARRAY[${TRIPLES.join(', ')}])[1:length(alias) - 2] END
$$;
CREATE INDEX conversation_aliases_triples ON send.conversation_aliases USING gin (send.number_triples(business_id, alias)) ${PENDING};
DROP INDEX send.conversation_aliases_parts;
`;

export const NumberTriples1796342450000 = migration('NumberTriples1796342450000', INDEX);
