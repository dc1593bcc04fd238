import { eventTablesDown, eventTablesUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Replies1763800000001 implements MigrationInterface {
  readonly name = 'Replies1763800000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE TABLE auto_reply.settings (
      business_id bigint PRIMARY KEY,
      enabled boolean NOT NULL DEFAULT false,
      instructions text NOT NULL DEFAULT '',
      model text NOT NULL DEFAULT 'gpt-4o-mini',
      -- null: the deployment's own
      base_url text,
      api_key_sealed text,
      daily_limit integer NOT NULL DEFAULT 200,
      quiet_minutes integer NOT NULL DEFAULT 30,
      plan text NOT NULL DEFAULT '',
      timezone text NOT NULL DEFAULT 'UTC'
    )`);
    await runner.query(`CREATE TABLE auto_reply.replies (
      id bigserial PRIMARY KEY,
      business_id bigint NOT NULL,
      inbound_message_id text NOT NULL,
      conversation_id bigint NOT NULL,
      customer text NOT NULL,
      question text NOT NULL,
      received_at timestamptz NOT NULL,
      -- written before it is sent: a repeated try sends the same words under the same Idempotency-Key
      reply text,
      message_id text,
      state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'replied', 'skipped', 'failed')),
      reason text,
      attempts integer NOT NULL DEFAULT 0,
      due_at timestamptz NOT NULL DEFAULT now(),
      created_at timestamptz NOT NULL DEFAULT now(),
      ended_at timestamptz,
      UNIQUE (business_id, inbound_message_id)
    )`);
    await runner.query(`CREATE INDEX replies_open ON auto_reply.replies (due_at) WHERE state = 'pending'`);
    await runner.query('CREATE INDEX replies_of ON auto_reply.replies (business_id, id DESC)');
    await runner.query('CREATE INDEX replies_of_conversation ON auto_reply.replies (conversation_id, id DESC)');
    for (const statement of eventTablesUp('auto_reply')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of eventTablesDown('auto_reply')) await runner.query(statement);
    await runner.query('DROP TABLE auto_reply.replies, auto_reply.settings');
  }
}
