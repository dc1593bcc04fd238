import { migration } from '@mgw/postgres';

/**
 * The rules of two indexes, unchanged. PostgreSQL writes a function in SQL into the expression of an index and plans it again for each
 * statement that inserts a row. It keeps the plan of a function in PL/pgSQL.
 */
const FUNCTIONS = `
CREATE OR REPLACE FUNCTION send.words(business bigint, body text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN string_to_array(business || '/' || regexp_replace(
    CASE WHEN length(body) <= 60 THEN lower(body) ELSE regexp_replace(lower(left(body, 4096)), '(\\S{60})', '\\1 ', 'g') END,
    '[\\s!-/:-@[-\`{-~¡¿«»‐-‧।、。！，？]+', ' ' || business || '/', 'g'), ' ');
END $$;
CREATE OR REPLACE FUNCTION send.number_parts(business bigint, alias text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY[${Array.from({ length: 13 }, (_, i) => `business || '/' || substr(alias, ${i + 1}, 3)`).join(', ')}];
END $$;
`;

export const WordsOnce1796342450000 = migration('WordsOnce1796342450000', FUNCTIONS);
