-- Keeps the former owner of a name that passes to another conversation, even for replicas of the previous version. The new owner had the
-- name from then on.
CREATE OR REPLACE FUNCTION send.keep_former_alias() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO send.former_aliases (business_id, alias, until, conversation_id)
  VALUES (old.business_id, old.alias, clock_timestamp(), old.conversation_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER passed AFTER UPDATE OF conversation_id ON send.conversation_aliases
  FOR EACH ROW WHEN (old.conversation_id <> new.conversation_id) EXECUTE FUNCTION send.keep_former_alias();
