import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Intents1763700000002 implements MigrationInterface {
  readonly name = 'Intents1763700000002';

  async up(runner: QueryRunner): Promise<void> {
    // Everything that is needed to record the send from a status webhook alone, should this process die (guarantees §1, S4).
    await runner.query(`
      CREATE TABLE send.intents (
        id uuid PRIMARY KEY,
        business_id bigint NOT NULL,
        api_key_id bigint,
        -- the day its place under the cap was taken from: a refund goes back there
        usage_day date,
        state text NOT NULL CHECK (state IN ('calling', 'accepted', 'refused', 'unknown', 'unconfirmed')),
        recipient text NOT NULL,
        type text NOT NULL,
        sent_by text NOT NULL,
        template text,
        text text NOT NULL,
        message_id text,
        failure_reason text,
        created_at timestamptz NOT NULL,
        settled_at timestamptz
      )`);
    await runner.query(`CREATE INDEX intents_unsettled ON send.intents (created_at) WHERE state IN ('calling', 'unknown')`);
    await runner.query(`
      CREATE TABLE send.messages (
        business_id bigint NOT NULL,
        message_id text NOT NULL,
        intent_id uuid NOT NULL,
        conversation_id bigint NOT NULL,
        accepted_at timestamptz NOT NULL,
        PRIMARY KEY (business_id, message_id)
      )`);
    await runner.query('CREATE INDEX messages_of ON send.messages (conversation_id, accepted_at)');
    // api_key_id 0: a send that no key made.
    await runner.query(`
      CREATE TABLE send.idempotency_keys (
        business_id bigint NOT NULL,
        api_key_id bigint NOT NULL,
        key text NOT NULL,
        fingerprint text NOT NULL,
        intent_id uuid NOT NULL,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (business_id, api_key_id, key)
      )`);
    await runner.query('CREATE INDEX idempotency_keys_intent ON send.idempotency_keys (intent_id)');
    await runner.query('CREATE INDEX idempotency_keys_age ON send.idempotency_keys (created_at)');
    // cap and granted are those of the last reservation: they carry its result to the next step of send.reserve.
    await runner.query(`
      CREATE TABLE send.daily_usage (
        api_key_id bigint NOT NULL,
        day date NOT NULL,
        used integer NOT NULL CHECK (used >= 0),
        cap integer NOT NULL,
        granted integer NOT NULL,
        PRIMARY KEY (api_key_id, day)
      ) WITH (fillfactor = 50)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE send.daily_usage, send.idempotency_keys, send.messages, send.intents');
  }
}
