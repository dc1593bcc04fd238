import { eventTraceDown, eventTraceUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A reply belongs to the trace of the message that it answers. */
export class Traces1763900000001 implements MigrationInterface {
  readonly name = 'Traces1763900000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of eventTraceUp('auto_reply')) await runner.query(statement);
    await runner.query('ALTER TABLE auto_reply.replies ADD COLUMN traceparent text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE auto_reply.replies DROP COLUMN traceparent');
    for (const statement of eventTraceDown('auto_reply')) await runner.query(statement);
  }
}
