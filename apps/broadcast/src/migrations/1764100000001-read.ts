import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was read has not failed, whatever is said of it before or after (product decision 26). */
export class Read1764100000001 implements MigrationInterface {
  readonly name = 'Read1764100000001';

  async up(runner: QueryRunner): Promise<void> {
    // No reason: it was read.
    await runner.query('ALTER TABLE broadcast.failures ALTER COLUMN reason DROP NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM broadcast.failures WHERE reason IS NULL');
    await runner.query('ALTER TABLE broadcast.failures ALTER COLUMN reason SET NOT NULL');
  }
}
