import { divideByMonth, uniteMonths, type MonthlyTable } from '@mgw/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const MESSAGES: MonthlyTable = { table: 'send.messages', column: 'accepted_at' };
const INBOUND: MonthlyTable = { table: 'send.inbound_messages', column: 'sent_at' };

/**
 * Messages of both directions by month. That each is there once is seen to by who writes it: an intent is accepted once
 * (outcome.store.ts), and a customer's message is looked for under the locks of its conversation (inbound.store.ts).
 */
export class Months1763900000002 implements MigrationInterface {
  readonly name = 'Months1763900000002';

  async up(runner: QueryRunner): Promise<void> {
    await divideByMonth(runner, MESSAGES, 'business_id, message_id, accepted_at');
    await divideByMonth(runner, INBOUND, 'business_id, message_id, sent_at');
  }

  async down(runner: QueryRunner): Promise<void> {
    await uniteMonths(runner, INBOUND, 'business_id, message_id');
    await uniteMonths(runner, MESSAGES, 'business_id, message_id');
  }
}
