import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import type { Sender } from '@mgw/contracts';
import { Sealer } from '@mgw/sealing';
import type { SuppressionState } from '../suppression/suppression';
import type { EarlierSend, IntentDraft, IntentState, Reservation, SendPreview } from './intent';

/** PostgreSQL's largest integer stands for no daily cap. */
const NO_CAP = 2_147_483_647;
const RESERVED_WITHOUT_CONVERSATION: Reservation = { kind: 'reserved', recipient: { conversationId: null, lastInboundAt: null } };

interface ReservationRow {
  /** Position of the draft, from 1. */
  nth: string;
  outcome: Exclude<Reservation['kind'], 'failed'>;
  conversation_id: string | null;
  last_inbound_at: Date | null;
  suppression: SuppressionState;
  earlier_id: string;
  fingerprint: string;
  state: IntentState;
  message_id: string | null;
  recipient: string;
  used: number;
  seconds_to_midnight: number;
}

export interface SenderKey {
  businessId: number;
  apiKeyId: number | null;
  key: string;
}

const RESERVE = `SELECT * FROM send.reserve($1, $2, $3, $4, $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[],
  $11::text[], $12::text[], $13::text[], $14, $15::jsonb[], $16, $17, $18, $19)`;

const PREVIEW = `SELECT r.suppression AS "refusedBy", NOT r.window_closed AS "windowOpen", r.last_inbound_at AS "lastInboundAt",
    (SELECT s.state FROM send.suppressions s WHERE s.conversation_id = r.conversation_id AND s.state IS NOT NULL
     ORDER BY send.suppression_strictness(s.state) LIMIT 1) AS suppression,
    coalesce(u.used, 0) AS used, send.allowed_by_cap($6::integer, $6::integer, coalesce(u.used, 0)) AS remaining,
    send.seconds_to_midnight(now(), $7::text) AS "secondsToMidnight"
  FROM send.check_recipients(ARRAY[$1::bigint], ARRAY[$2::text], ARRAY[NULL::text], ARRAY[$3::text], ARRAY[$4::boolean], ARRAY[true], now()) r
  LEFT JOIN send.daily_usage u ON u.api_key_id = $5::bigint AND u.day = send.usage_day(now(), $7::text)`;

@Injectable()
export class ReservationStore {
  constructor(
    @Inject(Database) private readonly db: Database,
    @Inject(Sealer) private readonly sealer: Sealer,
  ) {}

  /**
   * Checks suppression, window, Idempotency-Key and daily cap, and writes the intents, all in one statement (`send.reserve`).
   * Drafts of one sender must have different Idempotency-Keys and the same daily cap.
   * @param hashes of the recipients, in the order of the drafts; null where the business has erased nobody
   * @param now replaces the database's clock in tests
   */
  async reserve(drafts: IntentDraft[], hashes: (string | null)[], now: Date | null = null): Promise<Reservation[]> {
    const column = <T>(pick: (draft: IntentDraft) => T) => drafts.map(pick);
    const rows = await this.db.query<ReservationRow>(RESERVE, [
      column((draft) => draft.id),
      column((draft) => draft.sender.business_id),
      column((draft) => draft.sender.api_key_id),
      column((draft) => draft.sender.daily_limit ?? NO_CAP),
      column((draft) => draft.sender.timezone),
      column((draft) => draft.sender.idempotency?.key ?? null),
      column(({ id, sender }) => sender.idempotency && this.sealer.seal(sender.idempotency.fingerprint, sealingContext(id))),
      column((draft) => draft.to),
      hashes,
      column((draft) => draft.type),
      column((draft) => draft.sender.sent_by),
      column((draft) => draft.template),
      column((draft) => draft.text),
      column((draft) => draft.sender.user_id ?? null),
      column((draft) => draft.details),
      column((draft) => draft.marketing),
      column((draft) => draft.needsWindow),
      column((draft) => draft.sender.broadcast_id ?? null),
      now,
    ]);
    const reservations = new Map(rows.map((row) => [Number(row.nth) - 1, this.toReservation(row)]));
    return drafts.map((_, place) => reservations.get(place) ?? RESERVED_WITHOUT_CONVERSATION);
  }

  /** Reads what `reserve` would find, and changes nothing. @param recipient null without a valid one */
  async preview(sender: Sender, recipient: string | null, { type, marketing }: { type: string; marketing: boolean }): Promise<SendPreview> {
    const [row] = await this.db.query<SendPreview>(PREVIEW, [
      sender.business_id,
      recipient,
      type,
      marketing,
      sender.api_key_id,
      sender.daily_limit ?? NO_CAP,
      sender.timezone,
    ]);
    if (!row) throw new Error('the preview of a send returned no row');
    return row;
  }

  /** Finds sends with these keys from the last 24 hours (decision 24), in the order of the keys. */
  async findEarlier(keys: SenderKey[]): Promise<(EarlierSend | null)[]> {
    const rows = await this.db.query<Partial<ReservationRow>>(
      `SELECT i.id AS earlier_id, k.fingerprint, i.state, i.message_id, i.recipient
       FROM unnest($1::bigint[], $2::bigint[], $3::text[]) WITH ORDINALITY AS q(business, api_key, key, nth)
       LEFT JOIN send.idempotency_keys k ON k.business_id = q.business AND k.api_key_id = q.api_key AND k.key = q.key
         AND k.created_at > clock_timestamp() - interval '24 hours'
       LEFT JOIN send.intents i ON i.id = k.intent_id
       ORDER BY q.nth`,
      [keys.map((key) => key.businessId), keys.map((key) => key.apiKeyId ?? 0), keys.map((key) => key.key)],
    );
    return rows.map((row) => (row.earlier_id ? this.toEarlierSend(row as ReservationRow) : null));
  }

  private toReservation(row: ReservationRow): Reservation {
    const conversationId = row.conversation_id === null ? null : Number(row.conversation_id);
    switch (row.outcome) {
      case 'reserved':
        return { kind: 'reserved', recipient: { conversationId, lastInboundAt: row.last_inbound_at } };
      case 'suppressed':
        return { kind: 'suppressed', state: row.suppression };
      case 'window_closed':
        return { kind: 'window_closed', lastInboundAt: row.last_inbound_at };
      case 'earlier':
        return { kind: 'earlier', send: this.toEarlierSend(row) };
      case 'capped':
        return { kind: 'capped', used: row.used, secondsToMidnight: row.seconds_to_midnight };
    }
  }

  private toEarlierSend(row: ReservationRow): EarlierSend {
    const { earlier_id: id, state, message_id: messageId, recipient: to } = row;
    return { id, fingerprint: () => this.openFingerprint(row), state, messageId, to };
  }

  /** Fingerprints are sealed, because an unsealed one would reveal a short OTP by brute force. */
  private openFingerprint({ earlier_id, fingerprint }: ReservationRow): string {
    return this.sealer.open(fingerprint, sealingContext(earlier_id));
  }
}

function sealingContext(intentId: string): string {
  return `send.fingerprint:${intentId}`;
}
