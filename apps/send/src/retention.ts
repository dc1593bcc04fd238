import { startOfMonth } from '@mgw/postgres';
import { RECEIVED_DAYS, UPLOADED_DAYS } from './media/media.store';
import type { SendConfig } from './send.config';

/** Intents outlive messages by this much, because a message may be accepted in the month after its intent. */
const MONTH_DAYS = 31;

/** SQL of the first intent id of a time. Version 7 UUIDs begin with milliseconds, so the primary key finds the oldest rows. */
export const firstIntentIdAt = (time: string) => `rpad(lpad(to_hex((extract(epoch FROM ${time}) * 1000)::bigint), 12, '0'), 32, '0')::uuid`;

const IS_STORED = `EXISTS (SELECT FROM send.stored_files s WHERE s.business_id = expired.business_id AND s.media_id = expired.media_id AND s.state = 'stored')`;

/** A scalar subquery reads the index for each change. For NOT EXISTS, PostgreSQL might read all messages instead. */
const HAS_NO_MESSAGE = `(SELECT true FROM send.inbound_messages m WHERE m.business_id = expired.business_id AND m.message_id = expired.message_id LIMIT 1) IS NULL`;

const CHANGED_EIGHT_DAYS_AGO = `changed_at BETWEEN now() - interval '10 days' AND now() - interval '8 days'`;

/** Keeps every send whose outcome is open. An Idempotency-Key is valid for 24 hours (decision 24). */
export const sendRetention = ({ messagesDays: days }: SendConfig) => ({
  rows: [
    { table: 'send.intents', where: `id < ${firstIntentIdAt(startOfMonth(days + MONTH_DAYS))} AND state NOT IN ('calling', 'unknown')` },
    { table: 'send.idempotency_keys', where: `created_at < now() - interval '25 hours'` },
    { table: 'send.notes', where: `created_at < ${startOfMonth(days)}` },
    { table: 'send.message_changes', where: `changed_at < ${startOfMonth(days)}` },
    // The message was erased, or the gateway never had it: WhatsApp repeats a callback for seven days (decision 384). A round reads two days.
    { table: 'send.message_changes', where: `${CHANGED_EIGHT_DAYS_AGO} AND deleted_at IS NULL AND ${HAS_NO_MESSAGE}` },
    // A deletion stays without its edit, because the operator may still replay its message.
    {
      table: 'send.message_changes',
      where: `${CHANGED_EIGHT_DAYS_AGO} AND deleted_at IS NOT NULL AND edited_at IS NOT NULL AND ${HAS_NO_MESSAGE}`,
      clear: 'text = NULL, edited_at = NULL',
    },
    { table: 'send.uploads', where: `uploaded_at < now() - interval '${UPLOADED_DAYS} days' AND NOT ${IS_STORED}` },
    // Files that no store has taken.
    { table: 'send.stored_files', where: `attempts = 0 AND conversation_id IS NULL AND last_used_at < now()` },
    {
      table: 'send.stored_files',
      where: `attempts = 0 AND conversation_id IS NOT NULL AND last_used_at < now() - interval '${RECEIVED_DAYS} days'`,
    },
    { table: 'send.daily_usage', where: 'day < current_date - 40' },
  ],
  months: [
    { table: 'send.messages', column: 'accepted_at', days },
    { table: 'send.inbound_messages', column: 'sent_at', days },
  ],
});
