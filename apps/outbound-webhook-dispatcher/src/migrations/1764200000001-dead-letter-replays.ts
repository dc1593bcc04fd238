import { deadLetterReplaysDown, deadLetterReplaysUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class DeadLetterReplays1764200000001 implements MigrationInterface {
  readonly name = 'DeadLetterReplays1764200000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of deadLetterReplaysUp('dispatch')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of deadLetterReplaysDown('dispatch')) await runner.query(statement);
  }
}
