import { eventTablesDown, eventTablesUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Deliveries1763700000001 implements MigrationInterface {
  readonly name = 'Deliveries1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE ingest.deliveries (
      id bigserial PRIMARY KEY,
      body_hash bytea NOT NULL UNIQUE,
      body bytea NOT NULL,
      -- Whose app secret signed it: updates are honoured only for the numbers of these businesses.
      businesses integer[] NOT NULL,
      received_at timestamptz NOT NULL DEFAULT now(),
      split_at timestamptz
    )`);
    await runner.query('CREATE INDEX deliveries_unsplit ON ingest.deliveries (id) WHERE split_at IS NULL');
    await runner.query('CREATE INDEX deliveries_split_at ON ingest.deliveries (split_at) WHERE split_at IS NOT NULL');
    for (const statement of eventTablesUp('ingest')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of eventTablesDown('ingest')) await runner.query(statement);
    await runner.query('DROP TABLE ingest.deliveries');
  }
}
