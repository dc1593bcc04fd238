import { eventTraceDown, eventTraceUp } from '@mgw/events';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Traces1763900000001 implements MigrationInterface {
  readonly name = 'Traces1763900000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of eventTraceUp('template')) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const statement of eventTraceDown('template')) await runner.query(statement);
  }
}
