import type { MigrationInterface, QueryRunner } from 'typeorm';

const HEAD = (name: string, names: string, rows: string) => `
CREATE OR REPLACE FUNCTION send.${name}(${names}) RETURNS TABLE (${rows}) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN`;

const LOCK = `
  PERFORM pg_advisory_xact_lock(place) FROM (
    SELECT DISTINCT hashtextextended(n.business || ':' || n.name, 0) AS place
    FROM unnest(p_business, p_name) AS n (business, name) ORDER BY 1
  ) places;`;

/** Whether the commit waits for the disk is the caller's affair: a customer's message opens its conversation here too. */
const OPEN = (durability: string) => `${HEAD('open_conversations', 'p_business bigint[], p_name text[]', 'conversation_id bigint')}
  ${durability}${LOCK}
  WITH missing AS (
    SELECT DISTINCT n.business, n.name FROM unnest(p_business, p_name) AS n (business, name)
    WHERE NOT EXISTS (SELECT FROM send.conversation_aliases a WHERE a.business_id = n.business AND a.alias = n.name)
  ), opened AS (
    INSERT INTO send.conversations (business_id, phone) SELECT business, name FROM missing RETURNING id, business_id, phone
  )
  INSERT INTO send.conversation_aliases (business_id, alias, conversation_id) SELECT business_id, phone, id FROM opened;
  RETURN QUERY
    SELECT a.conversation_id FROM unnest(p_business, p_name) WITH ORDINALITY AS n (business, name, nth)
    JOIN send.conversation_aliases a ON a.business_id = n.business AND a.alias = n.name ORDER BY n.nth;
END $$`;

/** Locks names and tells what they lead to: the look sees what was committed before the locks were had. */
const FIND = `${HEAD('find_conversations', 'p_business bigint[], p_name text[]', 'business_id bigint, alias text, id bigint, user_id text')}${LOCK}
  RETURN QUERY
    SELECT a.business_id, a.alias, c.id, c.user_id FROM unnest(p_business, p_name) AS n (business, name)
    JOIN send.conversation_aliases a ON a.business_id = n.business AND a.alias = n.name
    JOIN send.conversations c ON c.id = a.conversation_id;
END $$`;

/** Fewer round trips for a customer's message. */
export class RoundTrips1763800000003 implements MigrationInterface {
  readonly name = 'RoundTrips1763800000003';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION send.open_conversations');
    await runner.query(OPEN(''));
    await runner.query(FIND);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION send.find_conversations');
    await runner.query('DROP FUNCTION send.open_conversations');
    await runner.query(OPEN(`PERFORM set_config('synchronous_commit', 'off', true);`));
  }
}
