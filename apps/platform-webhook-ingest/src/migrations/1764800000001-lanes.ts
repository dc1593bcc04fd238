import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Lanes1764800000001 implements MigrationInterface {
  readonly name = 'Lanes1764800000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE ingest.deliveries
      -- The business that the updates are for; 0 when no connected business has their number. Each lane is split in its order.
      ADD COLUMN lane bigint NOT NULL DEFAULT 0,
      -- How often splitting it has begun without an end.
      ADD COLUMN begun smallint NOT NULL DEFAULT 0`);
    await runner.query('CREATE INDEX deliveries_waiting ON ingest.deliveries (lane, id) WHERE split_at IS NULL');
    await runner.query('ALTER TABLE ingest.dead_letters ADD COLUMN begun smallint NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingest.dead_letters DROP COLUMN begun');
    await runner.query('DROP INDEX ingest.deliveries_waiting');
    await runner.query('ALTER TABLE ingest.deliveries DROP COLUMN lane, DROP COLUMN begun');
  }
}
