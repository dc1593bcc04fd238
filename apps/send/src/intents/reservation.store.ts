import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import type { EarlierIntent, IntentDraft, IntentState, Reservation } from './intent';

/** No daily cap: PostgreSQL's largest integer. */
const NO_CAP = 2_147_483_647;

interface ReservedRow {
  outcome: Reservation['kind'];
  earlier_id: string;
  fingerprint: string;
  state: IntentState;
  message_id: string | null;
  recipient: string;
  used: number;
  seconds_to_midnight: number;
}

export interface KeyOfSender {
  businessId: number;
  apiKeyId: number | null;
  key: string;
}

const RESERVE = `SELECT * FROM send.reserve($1, $2, $3, $4, $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::text[], $13)`;

@Injectable()
export class ReservationStore {
  constructor(@Inject(Database) private readonly db: Database) {}

  /**
   * Idempotency look-up, daily cap and intents in one statement (guarantees §1; the migration of send.reserve says how).
   * No two drafts may carry the same Idempotency-Key of the same sender.
   * @param now instead of the database's clock, for tests of midnight
   */
  async reserve(drafts: IntentDraft[], now: Date | null = null): Promise<Reservation[]> {
    const of = <T>(pick: (draft: IntentDraft) => T) => drafts.map(pick);
    const rows = await this.db.query<ReservedRow>(RESERVE, [
      of((draft) => draft.id),
      of((draft) => draft.sender.business_id),
      of((draft) => draft.sender.api_key_id),
      of((draft) => draft.sender.daily_limit ?? NO_CAP),
      of((draft) => draft.sender.timezone),
      of((draft) => draft.sender.idempotency?.key ?? null),
      of((draft) => draft.sender.idempotency?.fingerprint ?? null),
      of((draft) => draft.to),
      of((draft) => draft.type),
      of((draft) => draft.sender.sent_by),
      of((draft) => draft.template),
      of((draft) => draft.text),
      now,
    ]);
    return rows.map(reservation);
  }

  /** Sends that were made with these keys within the last 24 hours (product decision 24), in the order of the keys. */
  async findEarlier(keys: KeyOfSender[]): Promise<(EarlierIntent | null)[]> {
    const rows = await this.db.query<Partial<ReservedRow>>(
      `SELECT i.id AS earlier_id, k.fingerprint, i.state, i.message_id, i.recipient
       FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS q(business, api_key, key, nth)
       LEFT JOIN send.idempotency_keys k ON k.business_id = q.business AND k.api_key_id = q.api_key AND k.key = q.key
         AND k.created_at > clock_timestamp() - interval '24 hours'
       LEFT JOIN send.intents i ON i.id = k.intent_id
       ORDER BY q.nth`,
      [keys.map((key) => key.businessId), keys.map((key) => key.apiKeyId ?? 0), keys.map((key) => key.key)],
    );
    return rows.map((row) => (row.earlier_id ? earlier(row as ReservedRow) : null));
  }
}

function reservation(row: ReservedRow): Reservation {
  if (row.outcome === 'reserved') return { kind: 'reserved' };
  if (row.outcome === 'earlier') return { kind: 'earlier', intent: earlier(row) };
  return { kind: 'capped', used: row.used, secondsToMidnight: row.seconds_to_midnight };
}

function earlier(row: ReservedRow): EarlierIntent {
  return { id: row.earlier_id, fingerprint: row.fingerprint, state: row.state, messageId: row.message_id, to: row.recipient };
}
