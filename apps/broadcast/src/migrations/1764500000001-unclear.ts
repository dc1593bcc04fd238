import type { MigrationInterface, QueryRunner } from 'typeorm';

const states = (...names: string[]) => `ALTER TABLE broadcast.recipients DROP CONSTRAINT recipients_state_check,
  ADD CONSTRAINT recipients_state_check CHECK (state IN (${names.map((name) => `'${name}'`).join()}))`;

/** A recipient whose outcome is not known is parked; the broadcast goes on and ends without it. */
export class Unclear1764500000001 implements MigrationInterface {
  readonly name = 'Unclear1764500000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(states('pending', 'sending', 'sent', 'failed', 'unclear'));
    await runner.query(`ALTER TABLE broadcast.recipients
      -- names the send of the last try; the send service knows what became of it
      ADD COLUMN intent_id uuid,
      -- tries that began and did not end, because their process died
      ADD COLUMN begun smallint NOT NULL DEFAULT 0`);
    // Nothing is due before; another broadcast of the business may run meanwhile.
    await runner.query('ALTER TABLE broadcast.broadcasts ADD COLUMN rests_until timestamptz');
    await runner.query(`CREATE INDEX recipients_pending ON broadcast.recipients (broadcast_id, due_at, nth) WHERE state = 'pending'`);
    await runner.query(`CREATE INDEX recipients_unsettled ON broadcast.recipients (broadcast_id) WHERE state IN ('sending', 'unclear')`);
    await runner.query(`CREATE INDEX recipients_unsettled_due ON broadcast.recipients (due_at) WHERE state IN ('sending', 'unclear')`);
    await runner.query('DROP INDEX broadcast.recipients_open');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`CREATE INDEX recipients_open ON broadcast.recipients (broadcast_id, due_at) WHERE state IN ('pending', 'sending')`);
    await runner.query('DROP INDEX broadcast.recipients_pending, broadcast.recipients_unsettled, broadcast.recipients_unsettled_due');
    await runner.query('ALTER TABLE broadcast.broadcasts DROP COLUMN rests_until');
    // Its Idempotency-Key tells what became of the send.
    await runner.query(`UPDATE broadcast.recipients SET state = 'pending', reason = NULL WHERE state = 'unclear'`);
    await runner.query('ALTER TABLE broadcast.recipients DROP COLUMN intent_id, DROP COLUMN begun');
    await runner.query(states('pending', 'sending', 'sent', 'failed'));
  }
}
