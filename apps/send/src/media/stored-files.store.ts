import { Injectable } from '@nestjs/common';
import { matches, MediaId, type EndFileTask, type FileTask, type RequestOf } from '@mgw/contracts';
import { Database, onRow, RowSet, startOfMonth, type Tx } from '@mgw/postgres';
import type { InboundMessage } from '../inbound/inbound.store';
import { SendConfig } from '../send.config';
import { RECEIVED_DAYS } from './media.store';

/** Longer than the longest transfer, so that a deleted file is not written afterwards. */
const CLAIM = '20 minutes';
const MAX_PAUSE = '1 hour';
/** The platform blocks a number after twenty failures in an hour, and other files of the business may fail for the same reason. */
const PAUSE_OF_OTHERS = '10 minutes';
/** Expired files that one claim marks for deletion. */
const EXPIRED_ROWS = 100;

const FILES = new RowSet<InboundMessage>({
  business_id: ['bigint', ({ event }) => event.business_id],
  media_id: ['text', ({ event }) => event.data.media?.id],
  conversation_id: ['bigint', ({ conversationId }) => conversationId],
  last_used_at: ['timestamptz', ({ event }) => event.data.sent_at],
});

/** The files that the gateway keeps in MEDIA_STORE, and its work on them (decision 400). */
@Injectable()
export class StoredFilesStore {
  constructor(
    private readonly db: Database,
    private readonly config: SendConfig,
  ) {}

  /** Records files of received messages as work. Without a store nobody claims it, and it expires. */
  async add(tx: Tx, messages: InboundMessage[]): Promise<void> {
    // An id of another form is in no path and no key.
    const files = messages.filter(({ event }) => matches(MediaId, event.data.media?.id));
    if (files.length === 0) return;
    await tx.query(
      `INSERT INTO send.stored_files (business_id, media_id, conversation_id, last_used_at) SELECT n.* FROM ${FILES.from('n')} ON CONFLICT DO NOTHING`,
      FILES.values(files),
    );
  }

  /** Claims due files, one of each business. @param without businesses that use their share of the transfers */
  async claim(limit: number, without: number[]): Promise<FileTask[]> {
    await this.expire();
    const rows = await this.db.query<Omit<FileTask, 'business_id' | 'expires_at'> & { business_id: string; expires_at: Date }>(
      `WITH RECURSIVE businesses AS (
         (SELECT business_id AS id FROM send.stored_files WHERE state <> 'stored' ORDER BY business_id LIMIT 1)
         UNION ALL
         SELECT (SELECT f.business_id FROM send.stored_files f WHERE f.state <> 'stored' AND f.business_id > b.id ORDER BY f.business_id LIMIT 1)
         FROM businesses b WHERE b.id IS NOT NULL
       ), chosen AS MATERIALIZED (
         SELECT id FROM businesses b WHERE b.id <> ALL ($2::bigint[])
           AND EXISTS (SELECT FROM send.stored_files f WHERE f.business_id = b.id AND f.state <> 'stored' AND f.due_at <= now())
         ORDER BY random() LIMIT $1
       ), due AS MATERIALIZED (
         SELECT f.* FROM chosen b CROSS JOIN LATERAL (
           SELECT business_id, media_id FROM send.stored_files WHERE business_id = b.id AND state <> 'stored' AND due_at <= now()
           ORDER BY due_at, media_id LIMIT 1 FOR UPDATE SKIP LOCKED) f
       )
       UPDATE send.stored_files f SET attempts = attempts + 1, due_at = now() + interval '${CLAIM}',
         state = CASE state WHEN 'deleting' THEN state ELSE 'storing' END
       FROM due WHERE f.business_id = due.business_id AND f.media_id = due.media_id
       RETURNING f.business_id, f.media_id, f.attempts, CASE f.state WHEN 'deleting' THEN 'delete' ELSE 'store' END AS task,
         CASE WHEN f.conversation_id IS NULL THEN last_used_at ELSE last_used_at + make_interval(days => ${RECEIVED_DAYS}) END AS expires_at`,
      [limit, without],
    );
    return rows.map((row) => ({ ...row, business_id: Number(row.business_id), expires_at: row.expires_at.toISOString() }));
  }

  /** Ends a claim, unless it has expired. A file that was erased meanwhile is deleted next. */
  async end({ business_id, media_id, attempts, outcome }: RequestOf<typeof EndFileTask>): Promise<void> {
    const own = 'business_id = $1 AND media_id = $2 AND attempts = $3';
    const claim = [business_id, media_id, attempts];
    if (outcome === 'deleted') await this.db.query(`DELETE FROM send.stored_files WHERE ${own} AND state = 'deleting'`, claim);
    else if (outcome === 'gone') await this.db.query(`UPDATE send.stored_files SET state = 'deleting', due_at = now() WHERE ${own}`, claim);
    else if (outcome === 'failed')
      await this.db.query(
        `WITH others AS (
           UPDATE send.stored_files SET due_at = greatest(due_at, now() + interval '${PAUSE_OF_OTHERS}')
           WHERE business_id = $1 AND media_id <> $2 AND state = 'waiting'
         )
         UPDATE send.stored_files SET state = CASE state WHEN 'storing' THEN 'waiting' ELSE state END,
           due_at = now() + least(interval '${MAX_PAUSE}', interval '30 seconds' * 2 ^ least(attempts - 1, 10)) WHERE ${own}`,
        claim,
      );
    else
      await this.db.query(
        `UPDATE send.stored_files SET state = CASE state WHEN 'storing' THEN 'stored' ELSE state END, due_at = now(),
           mime_type = $4, file_size = $5, sha256 = $6 WHERE ${own} AND state <> 'stored'`,
        [...claim, outcome.mime_type, outcome.file_size, outcome.sha256],
      );
  }

  /** Whether files of these conversations wait to be deleted. */
  async hasErased(businessId: number, conversationIds: number[]): Promise<boolean> {
    const sql = `SELECT FROM send.stored_files WHERE conversation_id = ANY ($2::bigint[]) AND ${onRow(`business_id = $1 AND state = 'deleting'`)} LIMIT 1`;
    return (await this.db.query(sql, [businessId, conversationIds])).length > 0;
  }

  /** Whether a store has files, or work on them was begun. */
  async hasStored(): Promise<boolean> {
    return (await this.db.query(`SELECT FROM send.stored_files WHERE state <> 'waiting' LIMIT 1`)).length > 0;
  }

  /** Marks stored files whose messages have expired. */
  private async expire(): Promise<void> {
    await this.db.query(
      `UPDATE send.stored_files SET state = 'deleting', due_at = now() WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM send.stored_files WHERE state = 'stored' AND last_used_at < ${startOfMonth(this.config.messagesDays)}
         ORDER BY last_used_at LIMIT ${EXPIRED_ROWS} FOR UPDATE SKIP LOCKED))`,
    );
  }
}
