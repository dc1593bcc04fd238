-- The words that the inbox search finds a person by: the first 20, at most 100 letters of each.
CREATE OR REPLACE FUNCTION send.search_words(name text) RETURNS SETOF text LANGUAGE sql IMMUTABLE AS $$
  SELECT DISTINCT left(word, 100) FROM (SELECT word FROM string_to_table(lower(name), ' ') AS word WHERE word <> '' LIMIT 20) few
$$;

-- Keeps send.conversation_words in step with a person's name.
CREATE OR REPLACE FUNCTION send.index_name() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_word text;
BEGIN
  IF TG_OP = 'UPDATE' AND old.name <> '' THEN
    -- One by one: without statistics PostgreSQL reads all words of the business to find a list of them.
    FOR v_word IN SELECT send.search_words(old.name) LOOP
      DELETE FROM send.conversation_words WHERE business_id = old.business_id AND word = v_word AND conversation_id = old.id;
    END LOOP;
  END IF;
  INSERT INTO send.conversation_words (business_id, word, conversation_id) SELECT new.business_id, word, new.id FROM send.search_words(new.name) AS word;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER named AFTER INSERT ON send.conversations
  FOR EACH ROW WHEN (new.name <> '') EXECUTE FUNCTION send.index_name();

CREATE OR REPLACE TRIGGER renamed AFTER UPDATE OF name ON send.conversations
  FOR EACH ROW WHEN (old.name <> new.name) EXECUTE FUNCTION send.index_name();
