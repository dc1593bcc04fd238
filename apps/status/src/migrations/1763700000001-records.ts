import { eventTablesDown, eventTablesUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Records1763700000001 implements MigrationInterface {
  readonly name = 'Records1763700000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE status.records (
      business_id bigint NOT NULL,
      message_id text NOT NULL,
      -- null until the acceptance is heard of: a status may come first
      recipient text,
      sent_at timestamptz,
      status text NOT NULL CHECK (status IN ('sent', 'delivered', 'failed', 'read')),
      rank smallint NOT NULL,
      failure_reason text CHECK ((failure_reason IS NOT NULL) = (status = 'failed')),
      PRIMARY KEY (business_id, message_id)
    ) WITH (fillfactor = 80)`);
    await runner.query(`CREATE TABLE status.history (
      business_id bigint NOT NULL,
      message_id text NOT NULL,
      -- the platform's word, also one that this version does not know
      status text NOT NULL,
      occurred_at timestamptz NOT NULL,
      error_code integer,
      error_text text,
      PRIMARY KEY (business_id, message_id, status, occurred_at)
    )`);
    for (const statement of eventTablesUp('status')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of eventTablesDown('status')) await runner.query(statement);
    await runner.query('DROP TABLE status.history, status.records');
  }
}
