import type { Database } from '@mgw/postgres';

/** An event or update that could not be handled, as an operator sees it. */
export interface DeadLetter {
  id: string;
  /** When it was set aside. */
  at: Date;
  consumer: string;
  /** The NATS subject, or the field of a callback. */
  subject: string;
  /** Null when the body is not an event. */
  event_id: string | null;
  /** The id of its business, or several, comma-separated; null when none is known. */
  business: string | null;
  attempts: number;
  reason: string;
  /** Whether a replay was requested and has not happened yet. */
  replay_requested: boolean;
}

export interface DeadLetterToReplay {
  id: string;
  subject: string;
  body: string;
}

/**
 * The dead letters of a service, `<schema>.dead_letters`. A request for a replay only marks them. The service's own consumer handles them
 * between its events, so neither two operators nor two replicas apply an effect twice.
 */
export class DeadLetters {
  /** @param business SQL over the columns that yields the business of a dead letter */
  constructor(
    private readonly db: Database,
    private readonly schema: string,
    private readonly business = `substring(left(body, 4000) from '"business_id":(\\d+)')`,
  ) {}

  async add(added: { consumer: string; subject: string; body: string; reason: string; attempts: number }): Promise<void> {
    await this.db.query(`INSERT INTO ${this.schema}.dead_letters (consumer, subject, body, reason, attempts) VALUES ($1, $2, $3, $4, $5)`, [
      added.consumer,
      added.subject,
      added.body.replaceAll('\0', ''),
      added.reason,
      added.attempts,
    ]);
  }

  /** @returns the oldest dead letters, and the total count */
  async list(atMost: number): Promise<{ deadLetters: DeadLetter[]; total: number }> {
    const deadLetters = await this.db.query<DeadLetter>(
      `SELECT id, at, consumer, subject, event_id, ${this.business} AS business, attempts, reason, replay_requested_at IS NOT NULL AS replay_requested
       FROM ${this.schema}.dead_letters ORDER BY id LIMIT $1`,
      [atMost],
    );
    const [count] = await this.db.query<{ n: number }>(`SELECT count(*)::integer AS n FROM ${this.schema}.dead_letters`);
    return { deadLetters, total: count?.n ?? 0 };
  }

  /** @returns the body of a dead letter; undefined for an unknown id */
  async body(id: string): Promise<string | undefined> {
    return (await this.db.query<{ body: string }>(`SELECT body FROM ${this.schema}.dead_letters WHERE id = $1`, [id]))[0]?.body;
  }

  /** Marks dead letters for replay. @returns the ids that exist */
  async requestReplay(ids: string[] | 'all'): Promise<string[]> {
    const rows = await this.db.query<{ id: string }>(
      `UPDATE ${this.schema}.dead_letters SET replay_requested_at = coalesce(replay_requested_at, now())
       WHERE $1::bigint[] IS NULL OR id = ANY($1) RETURNING id`,
      [ids === 'all' ? null : ids],
    );
    return rows.map(({ id }) => id);
  }

  /** @returns the dead letters that still exist: they wait for their replay, or it failed */
  remaining(ids: string[]): Promise<Pick<DeadLetter, 'id' | 'reason' | 'replay_requested'>[]> {
    return this.db.query(
      `SELECT id, reason, replay_requested_at IS NOT NULL AS replay_requested FROM ${this.schema}.dead_letters WHERE id = ANY($1::bigint[]) ORDER BY id`,
      [ids],
    );
  }

  /** @returns the consumer's oldest dead letter that is marked for replay */
  async nextToReplay(consumer: string): Promise<DeadLetterToReplay | undefined> {
    const [next] = await this.db.query<DeadLetterToReplay>(
      `SELECT id, subject, body FROM ${this.schema}.dead_letters WHERE consumer = $1 AND replay_requested_at IS NOT NULL ORDER BY id LIMIT 1`,
      [consumer],
    );
    return next;
  }

  /** Stores the new reason and ends the request for a replay. */
  async recordFailedReplay(id: string, reason: string): Promise<void> {
    await this.db.query(
      `UPDATE ${this.schema}.dead_letters SET reason = $2, attempts = attempts + 1, replay_requested_at = NULL WHERE id = $1`,
      [id, reason],
    );
  }

  /** @returns the ids that were deleted */
  async remove(ids: string[]): Promise<string[]> {
    const sql = `DELETE FROM ${this.schema}.dead_letters WHERE id = ANY($1::bigint[]) RETURNING id`;
    return (await this.db.query<{ id: string }>(sql, [ids])).map(({ id }) => id);
  }
}
