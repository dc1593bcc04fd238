import { Injectable } from '@nestjs/common';
import {
  GatewayError,
  idempotencyMismatch,
  MAX_INBOX_LIST,
  MAX_LABELS,
  notFound,
  type AddNote,
  type RequestOf,
  type ResponseOf,
  type UpdateConversation,
} from '@mgw/contracts';
import { Database, onRow, type Tx } from '@mgw/postgres';

type Change = Omit<RequestOf<typeof UpdateConversation>, 'business_id' | 'conversation_id'>;

/** One person may have many thousands of conversations. */
const UNASSIGNED_PER_STEP = 1_000;

/** SQL of the id of conversation `$2` of business `$1`; for a merged one, that of the conversation it was merged into. */
const CONVERSATION_ID = `(SELECT coalesce(merged_into, id) FROM send.conversations WHERE business_id = $1 AND id = $2)`;

/** SQL: whether no message of the customer arrived since `$8`, a time in the milliseconds of the API. */
const NOTHING_RECEIVED = `coalesce(date_trunc('milliseconds', last_received_at) <= $8::timestamptz, true)`;

/** Changes that agents make to conversations. */
@Injectable()
export class ConversationChangesStore {
  constructor(private readonly db: Database) {}

  /** Leaves absent members unchanged. A closed conversation waits for nothing. @throws GatewayError NOT_FOUND, CONFLICT */
  async change(businessId: number, conversationId: number, change: Change): Promise<void> {
    const { assigned_to, status, read, labels, labels_before, auto_reply, nothing_received_since } = change;
    await this.db.transaction(async (tx) => {
      const [changed] = await tx.query<{ id: string }>(
        `UPDATE send.conversations SET
           assigned_to = CASE WHEN $3 THEN $4 ELSE assigned_to END,
           closed_at = CASE $5 WHEN 'closed' THEN coalesce(closed_at, now()) WHEN 'open' THEN NULL ELSE closed_at END,
           waiting_since = CASE WHEN $5 = 'closed' THEN NULL ELSE waiting_since END,
           unread_count = CASE WHEN $5 = 'closed' OR $6 THEN 0 ELSE unread_count END,
           auto_reply = coalesce($7, auto_reply)
         WHERE id = ${CONVERSATION_ID} AND ${NOTHING_RECEIVED} RETURNING id`,
        [
          ...[businessId, conversationId, assigned_to !== undefined, assigned_to ?? null, status ?? null, read ?? false],
          ...[auto_reply ?? null, nothing_received_since ?? null],
        ],
      );
      if (!changed) throw (await this.exists(tx, businessId, conversationId)) ? wroteMeanwhile() : notFound();
      if (labels) await this.setLabels(tx, businessId, changed.id, labels, labels_before ?? null);
    });
  }

  /** Includes closed conversations, because a customer's message may reopen them. Steps keep statement and locks short. */
  async unassign(businessId: number, userId: number): Promise<void> {
    let changed: number;
    do {
      const rows = await this.db.query(
        `UPDATE send.conversations SET assigned_to = NULL WHERE id = ANY (ARRAY(
           SELECT id FROM send.conversations WHERE -assigned_to = -$2::bigint AND assigned_to IS NOT NULL AND ${onRow('business_id = $1')}
           ORDER BY id LIMIT ${UNASSIGNED_PER_STEP} FOR UPDATE)) RETURNING 1`,
        [businessId, userId],
      );
      changed = rows.length;
    } while (changed > 0);
  }

  /** A repeated Idempotency-Key returns the note that it added (decision 776). @throws GatewayError NOT_FOUND, IDEMPOTENCY_MISMATCH */
  async addNote(request: RequestOf<typeof AddNote>): Promise<ResponseOf<typeof AddNote>> {
    const { business_id, conversation_id, user_id, text, idempotency } = request;
    const [note] = await this.db.query<{ id: string }>(
      `INSERT INTO send.notes (business_id, conversation_id, user_id, text, creation_key, creation_fingerprint)
       SELECT $1, id, $3, $4, $5, $6 FROM send.conversations WHERE id = ${CONVERSATION_ID}
       ON CONFLICT (business_id, creation_key) WHERE creation_key IS NOT NULL DO NOTHING RETURNING id`,
      [business_id, conversation_id, user_id, text, idempotency?.key ?? null, idempotency?.fingerprint ?? null],
    );
    if (note) return { id: Number(note.id) };
    // A statement of its own sees the note of a request that ran at the same time.
    const [earlier] = await this.db.query<{ id: string; fingerprint: string }>(
      'SELECT id, creation_fingerprint AS fingerprint FROM send.notes WHERE business_id = $1 AND creation_key = $2',
      [business_id, idempotency?.key ?? null],
    );
    if (!earlier) throw notFound();
    if (earlier.fingerprint === idempotency?.fingerprint) return { id: Number(earlier.id), replayed: true };
    throw idempotencyMismatch('note');
  }

  private async exists(tx: Tx, businessId: number, conversationId: number): Promise<boolean> {
    return (await tx.query('SELECT FROM send.conversations WHERE business_id = $1 AND id = $2', [businessId, conversationId])).length > 0;
  }

  /** @param before if given, only labels that are in one of the two lists are added and removed (decision 794) */
  private async setLabels(tx: Tx, businessId: number, conversationId: string, wanted: string[], before: string[] | null): Promise<void> {
    const names = [...new Set(wanted)].filter((name) => !before?.includes(name));
    await tx.query(
      `WITH missing AS (
         SELECT name FROM unnest($2::text[]) AS name WHERE name NOT IN (SELECT l.name FROM send.labels l WHERE l.business_id = $1)
       )
       INSERT INTO send.labels (business_id, name, color) SELECT $1, name, 'gray' FROM missing
       WHERE (SELECT count(*) FROM send.labels WHERE business_id = $1) + (SELECT count(*) FROM missing) <= ${MAX_INBOX_LIST}
       ORDER BY name ON CONFLICT DO NOTHING`,
      [businessId, names],
    );
    await tx.query(
      `DELETE FROM send.conversation_labels WHERE conversation_id = $2
         AND label_id ${before ? '' : 'NOT '}IN (SELECT id FROM send.labels WHERE business_id = $1 AND name = ANY ($3))`,
      [businessId, conversationId, before ? before.filter((name) => !wanted.includes(name)) : names],
    );
    // A new row has no xmax.
    const known = await tx.query<{ is_added: boolean }>(
      `INSERT INTO send.conversation_labels (conversation_id, label_id)
       SELECT $2, id FROM send.labels WHERE business_id = $1 AND name = ANY ($3) ORDER BY id
       ON CONFLICT (conversation_id, label_id) DO UPDATE SET label_id = excluded.label_id RETURNING xmax = 0 AS is_added`,
      [businessId, conversationId, names],
    );
    if (known.length < names.length)
      throw new GatewayError('CONFLICT', `A business has at most ${MAX_INBOX_LIST} labels. Delete one in the list of labels first.`);
    // A merge may leave more labels, of which each can be removed (decision 800).
    if (!known.some(({ is_added }) => is_added)) return;
    const all = await tx.query('SELECT FROM send.conversation_labels WHERE conversation_id = $1', [conversationId]);
    if (all.length > MAX_LABELS) throw new GatewayError('CONFLICT', `A conversation has at most ${MAX_LABELS} labels. Remove one first.`);
  }
}

const wroteMeanwhile = () =>
  new GatewayError('CONFLICT', 'The customer wrote meanwhile.', { hint: 'Read the new message, then change the conversation again.' });
