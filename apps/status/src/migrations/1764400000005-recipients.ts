import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The message log of one phone number, the newest first. Not partial: a condition on it must not prove the one of `records_by_time`. */
export class Recipients1764400000005 implements MigrationInterface {
  readonly name = 'Recipients1764400000005';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX records_by_recipient ON status.records (business_id, recipient, sent_at DESC, message_id DESC)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX status.records_by_recipient');
  }
}
