import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Words of a name that a search finds it by, and letters of a word. */
const WORDS = 20;
const LETTERS = 100;

const wordsOf = (name: string) =>
  `SELECT DISTINCT left(word, ${LETTERS}) FROM (SELECT word FROM string_to_table(lower(${name}), ' ') AS word WHERE word <> '' LIMIT ${WORDS}) few`;

/** A message's place in its thread, as an expression that an index may have: see inbox.store.ts. */
const PLACE = `least(received_at AT TIME ZONE 'UTC', sent_at AT TIME ZONE 'UTC' + interval '999 milliseconds')`;

/**
 * An index for each list and search of the inbox (guarantees §10, N2). Words stand in a table of their own: a customer's message moves
 * its conversation in every index of `send.conversations`, and changes the name seldom.
 */
export class Search1764400000005 implements MigrationInterface {
  readonly name = 'Search1764400000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX conversation_aliases_beginning ON send.conversation_aliases (business_id, alias COLLATE "C")');
    await runner.query('CREATE INDEX conversation_aliases_end ON send.conversation_aliases (business_id, reverse(alias) COLLATE "C")');
    await runner.query(`CREATE TABLE send.conversation_words (
      business_id bigint NOT NULL,
      word text COLLATE "C" NOT NULL,
      conversation_id bigint NOT NULL,
      PRIMARY KEY (business_id, word, conversation_id)
    )`);
    await runner.query(`INSERT INTO send.conversation_words
      SELECT c.business_id, words.word, c.id FROM send.conversations c CROSS JOIN LATERAL (${wordsOf('c.name')}) words (word)`);
    await runner.query(`CREATE FUNCTION send.index_name() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF TG_OP = 'UPDATE' THEN
          DELETE FROM send.conversation_words
          WHERE business_id = old.business_id AND word IN (${wordsOf('old.name')}) AND conversation_id = old.id;
        END IF;
        INSERT INTO send.conversation_words SELECT new.business_id, words.word, new.id FROM (${wordsOf('new.name')}) words (word);
        RETURN NULL;
      END $$`);
    await runner.query(`CREATE TRIGGER named AFTER INSERT ON send.conversations
      FOR EACH ROW WHEN (new.name <> '') EXECUTE FUNCTION send.index_name()`);
    await runner.query(`CREATE TRIGGER renamed AFTER UPDATE OF name ON send.conversations
      FOR EACH ROW WHEN (old.name <> new.name) EXECUTE FUNCTION send.index_name()`);
    await runner.query(`CREATE INDEX inbound_messages_place ON send.inbound_messages (conversation_id, (${PLACE}))`);
    await runner.query('DROP INDEX send.inbound_messages_of');
    await runner.query('ALTER TABLE send.suppressions ADD COLUMN business_id bigint');
    await runner.query(
      'UPDATE send.suppressions s SET business_id = c.business_id FROM send.conversations c WHERE c.id = s.conversation_id',
    );
    await runner.query(`CREATE INDEX suppressions_of ON send.suppressions (business_id, at DESC, conversation_id DESC, source DESC)
      WHERE state IS NOT NULL`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX send.suppressions_of');
    await runner.query('ALTER TABLE send.suppressions DROP COLUMN business_id');
    await runner.query('CREATE INDEX inbound_messages_of ON send.inbound_messages (conversation_id, sent_at)');
    await runner.query('DROP INDEX send.inbound_messages_place');
    await runner.query('DROP TRIGGER renamed ON send.conversations');
    await runner.query('DROP TRIGGER named ON send.conversations');
    await runner.query('DROP FUNCTION send.index_name');
    await runner.query('DROP TABLE send.conversation_words');
    await runner.query('DROP INDEX send.conversation_aliases_end, send.conversation_aliases_beginning');
  }
}
