import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ReplayOfDeadLetters1763700000002 implements MigrationInterface {
  readonly name = 'ReplayOfDeadLetters1763700000002';

  async up(runner: QueryRunner): Promise<void> {
    // Whose app secret signed the update, as in deliveries: needed to split it again.
    await runner.query(`ALTER TABLE ingest.dead_letters ADD COLUMN businesses integer[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingest.dead_letters DROP COLUMN businesses');
  }
}
