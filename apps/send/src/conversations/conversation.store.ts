import { Injectable } from '@nestjs/common';
import { onRow, type Tx } from '@mgw/postgres';
import { lastLift, lastStatement } from '../suppression/suppression';
import type { KnownConversation } from './person';

export interface Alias {
  businessId: number;
  alias: string;
}

/** A reply in a conversation, which began at this time. */
export interface Reply {
  businessId: number;
  conversationId: number;
  begunAt: Date;
}

/** Identifies a sent message by the platform's ids. */
export interface SentMessageRef {
  businessId: number;
  messageId: string;
  /** Digits or user id; null if the platform gave none. */
  recipient: string | null;
}

/**
 * SQL: the conversation of message `$2` of business `$1`, or of recipient `$3` if the message is not recorded yet. For a merged
 * conversation it is the one that `merged_into` names, which is never merged itself (see `merge`).
 */
export const CONVERSATION_OF_MESSAGE = `SELECT coalesce(merged_into, id) FROM send.conversations WHERE id = coalesce(
  (SELECT conversation_id FROM send.messages WHERE business_id = $1 AND message_id = $2),
  (SELECT conversation_id FROM send.conversation_aliases WHERE business_id = $1 AND alias = $3))`;

/** SQL: whether the suppression of a conversation that is merged into another is newer than that one's, `s`. */
const IS_NEWER = `${lastStatement('s')} < ${lastStatement('excluded')}`;

/** Stores conversations and their aliases. Every change holds the locks of all aliases involved. */
@Injectable()
export class ConversationStore {
  /**
   * Locks the aliases until the end of the transaction and finds their conversations. `send.find_conversations` locks them in one order
   * to avoid deadlocks.
   */
  async lockAliases(tx: Tx, names: Alias[]): Promise<Map<string, KnownConversation>> {
    const rows = await tx.query<{ business_id: string; alias: string; id: string; user_id: string | null }>(
      'SELECT business_id, alias, id, user_id FROM send.find_conversations($1::bigint[], $2::text[])',
      columns(names),
    );
    return new Map(rows.map((row) => [aliasKey(Number(row.business_id), row.alias), { id: Number(row.id), userId: row.user_id }]));
  }

  async reserveIds(tx: Tx, count: number): Promise<number[]> {
    const rows = await tx.query<{ id: string }>(
      `SELECT nextval(pg_get_serial_sequence('send.conversations', 'id')) AS id FROM generate_series(1, $1)`,
      [count],
    );
    return rows.map((row) => Number(row.id));
  }

  async create(tx: Tx, rows: { id: number; businessId: number; phone: string | null; userId: string | null }[]): Promise<void> {
    await tx.query(
      `INSERT INTO send.conversations (id, business_id, phone, user_id)
       SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[])`,
      [rows.map((r) => r.id), rows.map((r) => r.businessId), rows.map((r) => r.phone), rows.map((r) => r.userId)],
    );
  }

  /** Points aliases to conversations. The last entry of an alias wins. */
  async pointAliases(tx: Tx, rows: (Alias & { conversationId: number })[]): Promise<void> {
    const last = [...new Map(rows.map((row) => [aliasKey(row.businessId, row.alias), row])).values()];
    await tx.query(
      `INSERT INTO send.conversation_aliases (business_id, alias, conversation_id)
       SELECT * FROM unnest($1::bigint[], $2::text[], $3::bigint[])
       ON CONFLICT (business_id, alias) DO UPDATE SET conversation_id = excluded.conversation_id`,
      [...columns(last), last.map((row) => row.conversationId)],
    );
  }

  /** Finds or opens conversations of people with only a phone, under the same locks as `lockAliases`. @returns ids in the order of `numbers` */
  async openByPhone(tx: Tx, numbers: Alias[]): Promise<number[]> {
    const rows = await tx.query<{ conversation_id: string }>(
      'SELECT conversation_id FROM send.open_conversations($1::bigint[], $2::text[])',
      columns(numbers),
    );
    return rows.map((row) => Number(row.conversation_id));
  }

  /** Like `openByPhone`, but waits for no other transaction. @returns null for a number that one holds */
  async openFreeByPhone(db: Pick<Tx, 'query'>, numbers: Alias[]): Promise<(number | null)[]> {
    const rows = await db.query<{ conversation_id: string | null }>(
      'SELECT conversation_id FROM send.open_free_conversations($1::bigint[], $2::text[])',
      columns(numbers),
    );
    return rows.map(({ conversation_id }) => (conversation_id === null ? null : Number(conversation_id)));
  }

  /** Locks those names that no other transaction holds, until the end of this one. @returns which ones, in the order of `names` */
  async tryNames(tx: Tx, names: Alias[]): Promise<boolean[]> {
    const [row] = await tx.query<{ free: boolean[] }>('SELECT send.try_names($1::bigint[], $2::text[]) AS free', columns(names));
    return row?.free ?? [];
  }

  /** Sets the person's phone and user id; null keeps the current value. */
  async setNames(tx: Tx, conversationId: number, { phone, userId }: { phone: string | null; userId: string | null }): Promise<void> {
    await tx.query('UPDATE send.conversations SET phone = coalesce($2, phone), user_id = coalesce($3, user_id) WHERE id = $1', [
      conversationId,
      phone,
      userId,
    ]);
  }

  /** Clears phones that belong to other people now, so that a reply does not reach them. The user id still reaches the right person. */
  async clearPhones(tx: Tx, rows: { conversationId: number; phone: string }[]): Promise<void> {
    await tx.query(
      `WITH left_behind AS (
         SELECT c.id FROM unnest($1::bigint[], $2::text[]) AS n (id, phone) JOIN send.conversations c USING (id)
         WHERE c.phone = n.phone AND c.user_id IS NOT NULL ORDER BY c.id FOR UPDATE OF c
       )
       UPDATE send.conversations SET phone = NULL WHERE id IN (SELECT id FROM left_behind)`,
      [rows.map(({ conversationId }) => conversationId), rows.map(({ phone }) => phone)],
    );
  }

  /** Sets the phone of a conversation that has none. */
  async addPhone(tx: Tx, conversationId: number, phone: string): Promise<void> {
    await tx.query('UPDATE send.conversations SET phone = $2 WHERE id = $1 AND phone IS NULL', [conversationId, phone]);
  }

  async setUserId(tx: Tx, conversationId: number, userId: string): Promise<void> {
    await tx.query('UPDATE send.conversations SET user_id = $2 WHERE id = $1', [conversationId, userId]);
  }

  /**
   * Records that these conversations got a reply. A message that came while the reply was on its way still waits.
   * Locks rows in the order of their ids to avoid deadlocks.
   * @param waits whether it waits for conversations that other transactions hold
   * @returns the ids of those that it left out
   */
  async recordReplies(db: Pick<Tx, 'query'>, replies: Reply[], waits: boolean): Promise<number[]> {
    const answered = `send.conversations c JOIN unnest($1::bigint[], $2::timestamptz[]) AS reply (id, begun_at) USING (id)
         WHERE ${onRow('c.waiting_since IS NOT NULL')} AND coalesce(c.last_received_at <= reply.begun_at, true)`;
    const rows = await db.query<{ id: string }>(
      `WITH locked AS MATERIALIZED (
         SELECT c.id FROM ${answered} ORDER BY c.id FOR UPDATE OF c ${waits ? '' : 'SKIP LOCKED'}
       ), recorded AS (
         UPDATE send.conversations SET waiting_since = NULL, unread_count = 0 WHERE id IN (SELECT id FROM locked)
       )
       SELECT c.id FROM ${answered} AND c.id NOT IN (SELECT id FROM locked)`,
      [replies.map(({ conversationId }) => conversationId), replies.map(({ begunAt }) => begunAt)],
    );
    return rows.map(({ id }) => Number(id));
  }

  /** @param ids of conversations; one whose opt-out is older than its lift goes on waiting */
  async endWaits(tx: Tx, ids: number[]): Promise<void> {
    await tx.query(
      `UPDATE send.conversations c SET waiting_since = NULL WHERE c.id = ANY ($1::bigint[])
         AND EXISTS (SELECT FROM send.suppressions s WHERE s.conversation_id = c.id AND s.source = 'person' AND s.state = 'opted_out')`,
      [ids],
    );
  }

  /** Merges `gone` into `kept`. Messages keep their conversation id; `merged_into` leads from it to `kept`. */
  async merge(tx: Tx, kept: number, gone: number): Promise<void> {
    await tx.query(
      `UPDATE send.conversations k SET
         first_inbound_at = least(k.first_inbound_at, g.first_inbound_at),
         last_inbound_at = greatest(k.last_inbound_at, g.last_inbound_at),
         phone = coalesce(k.phone, g.phone), user_id = coalesce(k.user_id, g.user_id),
         name = CASE WHEN k.name = '' THEN g.name ELSE k.name END,
         assigned_to = coalesce(k.assigned_to, g.assigned_to),
         waiting_since = least(k.waiting_since, g.waiting_since),
         last_received_at = greatest(k.last_received_at, g.last_received_at),
         unread_count = k.unread_count + g.unread_count,
         closed_at = CASE WHEN g.last_inbound_at IS NULL OR g.closed_at IS NOT NULL THEN k.closed_at END,
         auto_reply = k.auto_reply AND g.auto_reply
       FROM send.conversations g WHERE k.id = $1 AND g.id = $2`,
      [kept, gone],
    );
    await tx.query(
      `INSERT INTO send.conversation_labels (conversation_id, label_id)
       SELECT $1, label_id FROM send.conversation_labels WHERE conversation_id = $2 ON CONFLICT DO NOTHING`,
      [kept, gone],
    );
    await tx.query('UPDATE send.conversations SET merged_into = $1 WHERE id = $2 OR merged_into = $2', [kept, gone]);
    await tx.query('UPDATE send.conversation_aliases SET conversation_id = $1 WHERE conversation_id = $2', [kept, gone]);
    await tx.query(
      `INSERT INTO send.suppressions AS s (business_id, conversation_id, source, state, at, reason, stated_at, lifted_at)
       SELECT business_id, $1, source, state, at, reason, stated_at, ${lastLift('g')} FROM send.suppressions g WHERE conversation_id = $2
       ON CONFLICT (conversation_id, source) DO UPDATE SET
         ${['state', 'reason', 'at', 'stated_at'].map((column) => `${column} = CASE WHEN ${IS_NEWER} THEN excluded.${column} ELSE s.${column} END`).join()},
         lifted_at = greatest(${lastLift('s')}, excluded.lifted_at)`,
      [kept, gone],
    );
  }
}

export function aliasKey(businessId: number, alias: string): string {
  return `${businessId}:${alias}`;
}

function columns(names: Alias[]): [number[], string[]] {
  return [names.map(({ businessId }) => businessId), names.map(({ alias }) => alias)];
}
