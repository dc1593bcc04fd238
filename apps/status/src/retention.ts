import { agedEventRows } from '@mgw/events';
import { startOfMonth, type MonthlyTable } from '@mgw/postgres';
import type { RetentionPlan } from '@mgw/service';
import type { StatusConfig } from './status.config';

/** Partitioned by the month of a message's first event; status.record_keys keeps that month for all later events. */
const RECORDS: MonthlyTable = { table: 'status.records', column: 'month', fillfactor: 80 };
const HISTORY: MonthlyTable = { table: 'status.history', column: 'occurred_at' };

/** Deletes the keys before the month that they point to. */
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
