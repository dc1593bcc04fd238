import { outboxRecoveryDown, outboxRecoveryUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class OutboxRecovery1764400000002 implements MigrationInterface {
  readonly name = 'OutboxRecovery1764400000002';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of outboxRecoveryUp('dispatch')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of outboxRecoveryDown('dispatch')) await runner.query(statement);
  }
}
