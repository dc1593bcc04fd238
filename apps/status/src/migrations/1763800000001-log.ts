import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the message log and the usage figures show beside the status. */
export class Log1763800000001 implements MigrationInterface {
  readonly name = 'Log1763800000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE status.records
      ADD COLUMN type text,
      ADD COLUMN template text,
      ADD COLUMN text text NOT NULL DEFAULT '',
      ADD COLUMN sent_by text,
      ADD COLUMN api_key_id bigint,
      -- false: refused by the platform, or its outcome is not known; its id is gw_<intent>
      ADD COLUMN accepted boolean NOT NULL DEFAULT true`);
    await runner.query(
      'CREATE INDEX records_by_time ON status.records (business_id, sent_at DESC, message_id DESC) WHERE sent_at IS NOT NULL',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX status.records_by_time');
    await runner.query(`ALTER TABLE status.records
      DROP COLUMN type, DROP COLUMN template, DROP COLUMN text, DROP COLUMN sent_by, DROP COLUMN api_key_id, DROP COLUMN accepted`);
  }
}
