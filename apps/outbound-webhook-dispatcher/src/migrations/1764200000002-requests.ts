import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a person asked for is kept as it went out: the address and the headers, in their order, beside the body. */
export class Requests1764200000002 implements MigrationInterface {
  readonly name = 'Requests1764200000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch.deliveries ADD COLUMN request json');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE dispatch.deliveries DROP COLUMN request');
  }
}
