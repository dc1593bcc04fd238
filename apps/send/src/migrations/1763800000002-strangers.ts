import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Conversations of people who are known by nothing but the number that was dialled: found or opened in one round trip, under the
 * same locks as everything else that changes conversations (conversation.store.ts). Each of its statements sees what was
 * committed before it, so the look comes after the locks. The commit need not wait for the disk: the outcome's, which
 * comes after it, does.
 */
const OPEN = `
CREATE FUNCTION send.open_conversations(p_business bigint[], p_phone text[]) RETURNS TABLE (conversation_id bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM pg_advisory_xact_lock(place) FROM (
    SELECT DISTINCT hashtextextended(n.business || ':' || n.phone, 0) AS place
    FROM unnest(p_business, p_phone) AS n (business, phone) ORDER BY 1
  ) places;
  WITH missing AS (
    SELECT DISTINCT n.business, n.phone FROM unnest(p_business, p_phone) AS n (business, phone)
    WHERE NOT EXISTS (SELECT FROM send.conversation_aliases a WHERE a.business_id = n.business AND a.alias = n.phone)
  ), opened AS (
    INSERT INTO send.conversations (business_id, phone) SELECT business, phone FROM missing RETURNING id, business_id, phone
  )
  INSERT INTO send.conversation_aliases (business_id, alias, conversation_id) SELECT business_id, phone, id FROM opened;
  RETURN QUERY
    SELECT a.conversation_id FROM unnest(p_business, p_phone) WITH ORDINALITY AS n (business, phone, nth)
    JOIN send.conversation_aliases a ON a.business_id = n.business AND a.alias = n.phone ORDER BY n.nth;
END $$`;

export class Strangers1763800000002 implements MigrationInterface {
  readonly name = 'Strangers1763800000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(OPEN);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION send.open_conversations');
  }
}
