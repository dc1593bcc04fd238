import { eventTraceDown, eventTraceUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An event and what comes of it belong to one trace, however long the one waits for the other. */
export class Traces1763900000001 implements MigrationInterface {
  readonly name = 'Traces1763900000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of eventTraceUp('ingest')) await runner.query(statement);
    await runner.query('ALTER TABLE ingest.deliveries ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE ingest.deliveries DROP COLUMN traceparent');
    for (const statement of eventTraceDown('ingest')) await runner.query(statement);
  }
}
