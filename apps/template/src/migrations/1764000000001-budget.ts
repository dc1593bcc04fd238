import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Budget1764000000001 implements MigrationInterface {
  readonly name = 'Budget1764000000001';

  async up(runner: QueryRunner): Promise<void> {
    // Calls that reading has made since `hour_began`; when that is an hour ago, they count no more.
    await runner.query('ALTER TABLE template.syncs ADD COLUMN hour_began timestamptz, ADD COLUMN hour_calls integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE template.syncs DROP COLUMN hour_began, DROP COLUMN hour_calls');
  }
}
