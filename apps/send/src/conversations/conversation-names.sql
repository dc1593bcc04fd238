-- Locks names until the end of the transaction, in one order, so that two batches never deadlock.
CREATE OR REPLACE FUNCTION send.lock_names(p_business bigint[], p_name text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(place) FROM (
    SELECT DISTINCT hashtextextended(n.business || ':' || n.name, 0) AS place
    FROM unnest(p_business, p_name) AS n (business, name) ORDER BY 1
  ) places;
END $$;

-- Locks those names that no other transaction holds. Returns which ones, in the order of the names. It never waits, so their order does not matter.
CREATE OR REPLACE FUNCTION send.try_names(p_business bigint[], p_name text[]) RETURNS boolean[] LANGUAGE plpgsql AS $$
BEGIN
  RETURN (
    SELECT array_agg(pg_try_advisory_xact_lock(hashtextextended(n.business || ':' || n.name, 0)) ORDER BY n.nth)
    FROM unnest(p_business, p_name) WITH ORDINALITY AS n (business, name, nth)
  );
END $$;

-- Locks names and returns the conversations that they lead to, including those committed while it waited for the locks.
CREATE OR REPLACE FUNCTION send.find_conversations(p_business bigint[], p_name text[])
RETURNS TABLE (business_id bigint, alias text, id bigint, user_id text) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM send.lock_names(p_business, p_name);
  RETURN QUERY
    SELECT a.business_id, a.alias, c.id, c.user_id FROM unnest(p_business, p_name) AS n (business, name)
    JOIN send.conversation_aliases a ON a.business_id = n.business AND a.alias = n.name
    JOIN send.conversations c ON c.id = a.conversation_id;
END $$;

-- Finds or creates the conversations of people who are known by a phone number only, in one round trip. The caller decides whether the
-- commit waits for the disk. Returns ids in the order of the names.
--
-- Most people are known, and the statement that creates costs more than the search, so it runs only for a name that is missing.
CREATE OR REPLACE FUNCTION send.open_conversations(p_business bigint[], p_name text[]) RETURNS TABLE (conversation_id bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_ids bigint[];
BEGIN
  PERFORM send.lock_names(p_business, p_name);
  SELECT array_agg((SELECT a.conversation_id FROM send.conversation_aliases a WHERE a.business_id = n.business AND a.alias = n.name) ORDER BY n.nth)
  INTO v_ids FROM unnest(p_business, p_name) WITH ORDINALITY AS n (business, name, nth);
  IF array_position(v_ids, NULL) IS NOT NULL THEN
    WITH opened AS (
      INSERT INTO send.conversations (business_id, phone)
      SELECT DISTINCT n.business, n.name FROM unnest(p_business, p_name, v_ids) AS n (business, name, id) WHERE n.id IS NULL
      RETURNING id, business_id, phone
    ), named AS (
      INSERT INTO send.conversation_aliases (business_id, alias, conversation_id) SELECT business_id, phone, id FROM opened
      RETURNING business_id, alias, conversation_id
    )
    SELECT array_agg(coalesce(n.id, named.conversation_id) ORDER BY n.nth)
    INTO v_ids FROM unnest(p_business, p_name, v_ids) WITH ORDINALITY AS n (business, name, id, nth)
    LEFT JOIN named ON named.business_id = n.business AND named.alias = n.name;
  END IF;
  RETURN QUERY SELECT unnest(v_ids);
END $$;

-- Like send.open_conversations, but waits for no other transaction: the id of a name that one holds is null.
CREATE OR REPLACE FUNCTION send.open_free_conversations(p_business bigint[], p_name text[]) RETURNS TABLE (conversation_id bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  v_free boolean[] := send.try_names(p_business, p_name);
  v_ids bigint[];
BEGIN
  SELECT array_agg(o.conversation_id) INTO v_ids FROM send.open_conversations(
    ARRAY(SELECT n.business FROM unnest(p_business, v_free) WITH ORDINALITY AS n (business, is_free, nth) WHERE n.is_free ORDER BY n.nth),
    ARRAY(SELECT n.name FROM unnest(p_name, v_free) WITH ORDINALITY AS n (name, is_free, nth) WHERE n.is_free ORDER BY n.nth)
  ) o;
  RETURN QUERY
    SELECT CASE WHEN n.is_free THEN v_ids[count(*) FILTER (WHERE n.is_free) OVER (ORDER BY n.nth)] END
    FROM unnest(v_free) WITH ORDINALITY AS n (is_free, nth) ORDER BY n.nth;
END $$;
