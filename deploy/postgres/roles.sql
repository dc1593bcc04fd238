-- One role for each service, named like the schema that it owns, with no right anywhere else. Run this file as the administrator of the
-- database before the first migration. You may repeat it: it changes only what differs, and gives the service the objects in its schema that
-- another role owns. A role without a password cannot log in: set one for each, ALTER ROLE send PASSWORD '…'.
DO $$
DECLARE
  service text;
  object text;
BEGIN
  EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC', current_database());
  REVOKE ALL ON SCHEMA public FROM PUBLIC;
  FOREACH service IN ARRAY ARRAY['access', 'send', 'template', 'status', 'ingest', 'dispatch', 'broadcast', 'auto_reply'] LOOP
    IF to_regrole(service) IS NULL THEN
      EXECUTE format('CREATE ROLE %I', service);
    END IF;
    EXECUTE format('ALTER ROLE %I LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS', service);
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), service);
    EXECUTE format('CREATE SCHEMA IF NOT EXISTS %I', service);
    EXECUTE format('ALTER SCHEMA %I OWNER TO %I', service, service);
    -- A column's sequence, the indexes and the row type change owner with their table.
    FOR object IN
      SELECT format('TABLE %s', c.oid::regclass) FROM pg_class c
      WHERE c.relnamespace = to_regnamespace(service) AND c.relowner <> to_regrole(service)
        AND (c.relkind IN ('r', 'p', 'v', 'm') OR c.relkind = 'S'
          AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.classid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')))
      UNION ALL
      SELECT format('ROUTINE %s', p.oid::regprocedure) FROM pg_proc p
      WHERE p.pronamespace = to_regnamespace(service) AND p.proowner <> to_regrole(service)
      UNION ALL
      SELECT format('TYPE %s', t.oid::regtype) FROM pg_type t
      WHERE t.typnamespace = to_regnamespace(service) AND t.typowner <> to_regrole(service) AND t.typtype IN ('e', 'd')
    LOOP
      EXECUTE format('ALTER %s OWNER TO %I', object, service);
    END LOOP;
  END LOOP;
END $$;
