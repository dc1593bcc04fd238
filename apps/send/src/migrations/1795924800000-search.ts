import { migration } from '@mgw/postgres';

/** In kB. The loop search-index.service.ts empties the list of new entries long before a customer's message has to. */
export const PENDING = 'WITH (gin_pending_list_limit = 65536)';

const INDEXES = `
-- Words of a text, each with the business in front, so that a search reads entries of its own business only. A word has at most 60 characters.
CREATE FUNCTION send.words(business bigint, body text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT string_to_array(business || '/' || regexp_replace(
    CASE WHEN length(body) <= 60 THEN lower(body) ELSE regexp_replace(lower(left(body, 4096)), '(\\S{60})', '\\1 ', 'g') END,
    '[\\s!-/:-@[-\`{-~¡¿«»‐-‧।、。！，？]+', ' ' || business || '/', 'g'), ' ')
$$;
CREATE INDEX inbound_messages_words ON send.inbound_messages USING gin (array_to_tsvector(send.words(business_id, coalesce(text, caption)))) ${PENDING};
CREATE INDEX intents_words ON send.intents USING gin (array_to_tsvector(send.words(business_id, text))) ${PENDING} WHERE sent_by IN ('agent', 'ai');

-- Every three digits of a number in a row, likewise.
CREATE FUNCTION send.number_parts(business bigint, alias text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ARRAY[${Array.from({ length: 13 }, (_, i) => `business || '/' || substr(alias, ${i + 1}, 3)`).join(', ')}]
$$;
CREATE INDEX conversation_aliases_parts ON send.conversation_aliases USING gin (send.number_parts(business_id, alias)) ${PENDING};
DROP INDEX send.conversation_aliases_end;
`;

export const Search1795924800000 = migration('Search1795924800000', INDEXES);
