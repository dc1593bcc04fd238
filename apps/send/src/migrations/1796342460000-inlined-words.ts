import { migration } from '@mgw/postgres';

/**
 * Puts the words of a text into the expression of their indexes. PostgreSQL did not, because `||` of a number and a text is not immutable:
 * it planned the function anew for every statement that stores a message.
 */
const WORDS = `
CREATE OR REPLACE FUNCTION send.words(business bigint, body text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_to_array(business::text || '/' || regexp_replace(
    CASE WHEN length(body) <= 60 THEN lower(body) ELSE regexp_replace(lower(left(body, 4096)), '(\\S{60})', '\\1 ', 'g') END,
    '[\\s!-/:-@[-\`{-~¡¿«»‐-‧।、。！，？]+', ' ' || business::text || '/', 'g'), ' ')
$$;
`;

export const InlinedWords1796342460000 = migration('InlinedWords1796342460000', WORDS);
