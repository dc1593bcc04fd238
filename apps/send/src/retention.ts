import { agedEventRows } from '@mgw/events';
import { startOfMonth } from '@mgw/postgres';
import type { RetentionPlan } from '@mgw/service';
import type { SendConfig } from './send.config';

/** What a message of the month after may still refer to. */
const MONTH_DAYS = 31;

/** The first id of a time: ids of version 7 begin with the milliseconds, so the primary key leads to the oldest. */
export const firstIntentIdAt = (time: string) => `rpad(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0'), 32, '0')::uuid`;

/** Sends whose outcome is open stay whatever their age; an Idempotency-Key holds for 24 hours (product decision 24). */
export const sendRetention = ({ messagesDays: days, ...keep }: SendConfig): RetentionPlan => ({
  rows: [
    ...agedEventRows('send', keep),
    { table: 'send.intents', where: `id < ${firstIntentIdAt(startOfMonth(days + MONTH_DAYS))} AND state NOT IN ('calling', 'unknown')` },
    { table: 'send.idempotency_keys', where: `created_at < now() - interval '25 hours'` },
    { table: 'send.daily_usage', where: 'day < current_date - 40' },
  ],
  months: [
    { table: 'send.messages', column: 'accepted_at', days },
    { table: 'send.inbound_messages', column: 'sent_at', days },
  ],
});
