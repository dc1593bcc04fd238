import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the dashboard's inbox and suppression list read, and a business's own rules for sending. */
export class Inbox1763800000001 implements MigrationInterface {
  readonly name = 'Inbox1763800000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE send.suppressions ADD COLUMN reason text');
    await runner.query(`CREATE INDEX conversations_by_activity ON send.conversations
      (business_id, (coalesce(last_inbound_at, created_at)) DESC, id DESC) WHERE merged_into IS NULL`);
    await runner.query('CREATE INDEX conversations_merged ON send.conversations (merged_into) WHERE merged_into IS NOT NULL');
    await runner.query(`
      CREATE TABLE send.settings (
        business_id bigint PRIMARY KEY,
        -- null: the words that we bring
        stop_words text[],
        start_words text[],
        otp_to_opted_out boolean NOT NULL DEFAULT false
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE send.settings');
    await runner.query('DROP INDEX send.conversations_merged, send.conversations_by_activity');
    await runner.query('ALTER TABLE send.suppressions DROP COLUMN reason');
  }
}
