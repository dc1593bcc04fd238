import { agedEventRows } from '@mgw/events';
import { startOfMonth, type MonthlyTable } from '@mgw/postgres';
import type { RetentionPlan } from '@mgw/service';
import type { StatusConfig } from './status.config';

/** By the month in which a message was first heard of; the same for all that is ever heard of it (status.record_keys). */
const RECORDS: MonthlyTable = { table: 'status.records', column: 'month', fillfactor: 80 };
const HISTORY: MonthlyTable = { table: 'status.history', column: 'occurred_at' };

/** Keys go before the month that they lead to. */
export const statusRetention = ({ messagesDays: days, ...keep }: StatusConfig): RetentionPlan => ({
  rows: [
    ...agedEventRows('status', keep),
    { table: 'status.record_keys', where: `month < ${startOfMonth(days)}` },
    { table: 'status.usage', where: `folded AND bucket < ${startOfMonth(days)}` },
  ],
  months: [
    { ...RECORDS, days },
    { ...HISTORY, days },
  ],
});
