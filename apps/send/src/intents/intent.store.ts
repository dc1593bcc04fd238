import { Injectable } from '@nestjs/common';
import { appendToOutbox } from '@mgw/events';
import { Database, type Tx } from '@mgw/postgres';
import { ERASED } from '@mgw/service';
import { unclearReason, type IntentRecord, type IntentState } from './intent';
import { notSentEvent } from './outcome-events';

interface IntentRow {
  id: string;
  state: IntentState;
  recipient: string;
  message_id: string | null;
  failure_reason: string | null;
  created_at: Date;
  resolved_at: Date | null;
}

interface IntentRecordRow {
  id: string;
  business_id: string;
  api_key_id: string | null;
  recipient: string;
  type: string;
  sent_by: string;
  template: string | null;
  text: string;
  broadcast_id: string | null;
}

const RECORD_COLUMNS = 'id, business_id, api_key_id, recipient, type, sent_by, template, text, broadcast_id';
/** Maximum number of sends that one statement marks: statuses of all businesses may wait for its locks. */
export const MAX_MARKED = 1_000;
const INTERRUPTED = unclearReason('The send was interrupted, so the message may have been sent');
const COLUMNS = 'i.id, i.state, i.recipient, i.message_id, i.failure_reason, i.created_at, i.resolved_at';

/** Reads intents and ends those whose process died or whose outcome stays unknown. */
@Injectable()
export class IntentStore {
  constructor(private readonly db: Database) {}

  find(businessId: number, intentIds: string[]): Promise<IntentRow[]> {
    const sql = `SELECT ${COLUMNS} FROM send.intents i WHERE i.id = ANY ($2::uuid[]) AND i.business_id = $1`;
    return this.db.query<IntentRow>(sql, [businessId, intentIds]);
  }

  findByMessage(businessId: number, messageIds: string[]): Promise<IntentRow[]> {
    const sql = `SELECT ${COLUMNS} FROM send.messages m JOIN send.intents i ON i.id = m.intent_id
                 WHERE m.business_id = $1 AND m.message_id = ANY ($2::text[])`;
    return this.db.query<IntentRow>(sql, [businessId, messageIds]);
  }

  /** Finds the intents whose outcome is not recorded yet. An erased one stays as it is: its event would name nobody. */
  async findOpen(tx: Tx, intentIds: string[]): Promise<IntentRecord[]> {
    const rows = await tx.query<IntentRecordRow>(
      `SELECT ${RECORD_COLUMNS} FROM send.intents
       WHERE id = ANY ($1::uuid[]) AND state IN ('calling', 'unknown', 'unconfirmed') AND recipient <> '${ERASED}'`,
      [intentIds],
    );
    return rows.map(toIntentRecord);
  }

  async dailyUsage(keys: { api_key_id: number; timezone: string }[]): Promise<{ api_key_id: number; used: number }[]> {
    const rows = await this.db.query<{ api_key_id: string; used: number | null }>(
      `SELECT k.id AS api_key_id, u.used FROM unnest($1::bigint[], $2::text[]) AS k (id, zone)
       LEFT JOIN send.daily_usage u ON u.api_key_id = k.id AND u.day = send.usage_day(clock_timestamp(), k.zone)`,
      [keys.map((key) => key.api_key_id), keys.map((key) => key.timezone)],
    );
    return rows.map(({ api_key_id, used }) => ({ api_key_id: Number(api_key_id), used: used ?? 0 }));
  }

  /** @param at the time whose day counts; null for now @returns the key's messages of that day, and the seconds to the midnight after `at` */
  async dailyCapAt(apiKeyId: number, zone: string, at: string | null): Promise<{ used: number; secondsToMidnight: number }> {
    const [row] = await this.db.query<{ used: number | null; seconds: number }>(
      `SELECT u.used, send.seconds_to_midnight(day.at, $2) AS seconds FROM (SELECT coalesce($3::timestamptz, clock_timestamp()) AS at) day
       LEFT JOIN send.daily_usage u ON u.api_key_id = $1 AND u.day = send.usage_day(day.at, $2)`,
      [apiKeyId, zone, at],
    );
    return { used: row?.used ?? 0, secondsToMidnight: row?.seconds ?? 1 };
  }

  /** Marks up to MAX_MARKED sends whose process died as unknown. @returns their count */
  async markInterrupted(olderThanSeconds: number): Promise<number> {
    return this.db.transaction(async (tx) => {
      const rows = await tx.query<IntentRecordRow>(
        `UPDATE send.intents SET state = 'unknown', failure_reason = $2
         WHERE id = ANY (ARRAY(SELECT id FROM send.intents WHERE state = 'calling' AND created_at < clock_timestamp() - make_interval(secs => $1)
                      ORDER BY created_at LIMIT ${MAX_MARKED} FOR UPDATE SKIP LOCKED))
         RETURNING ${RECORD_COLUMNS}`,
        [olderThanSeconds, INTERRUPTED],
      );
      await appendToOutbox(
        tx,
        'send',
        rows.map((row) => notSentEvent(toIntentRecord(row), INTERRUPTED)),
      );
      return rows.length;
    });
  }

  /**
   * Marks up to MAX_MARKED unknown sends without a status for 24 hours as unconfirmed. A later status still records their acceptance.
   * @returns their count
   */
  async markUnconfirmed(): Promise<number> {
    const rows = await this.db.query(
      `UPDATE send.intents SET state = 'unconfirmed'
       WHERE id = ANY (ARRAY(SELECT id FROM send.intents WHERE state = 'unknown' AND created_at < clock_timestamp() - interval '24 hours'
                    ORDER BY created_at LIMIT ${MAX_MARKED} FOR UPDATE SKIP LOCKED))
       RETURNING id`,
    );
    return rows.length;
  }
}

function toIntentRecord(row: IntentRecordRow): IntentRecord {
  return {
    id: row.id,
    businessId: Number(row.business_id),
    apiKeyId: row.api_key_id === null ? null : Number(row.api_key_id),
    to: row.recipient,
    type: row.type as IntentRecord['type'],
    sentBy: row.sent_by as IntentRecord['sentBy'],
    template: row.template,
    text: row.text,
    language: null,
    requestId: null,
    broadcastId: row.broadcast_id === null ? null : Number(row.broadcast_id),
    traceparent: undefined,
  };
}
