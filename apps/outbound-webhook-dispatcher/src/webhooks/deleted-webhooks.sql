-- Remembers a deleted webhook until its deliveries are deleted (decision 700).
CREATE OR REPLACE FUNCTION dispatch.remember_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO dispatch.deleted_webhooks VALUES (old.id);
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER deleted AFTER DELETE ON dispatch.webhooks FOR EACH ROW EXECUTE FUNCTION dispatch.remember_deleted();
