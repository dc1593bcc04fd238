import { Injectable } from '@nestjs/common';
import type { PeopleService } from '@mgw/contracts';
import { Database, pageOf, readCursor, type Tx } from '@mgw/postgres';
import type { Erasure } from './people.responses';

interface ErasureRow {
  id: number;
  contact: string;
  reason: string;
  requested_at: Date;
  user_id: number | null;
  user_name: string | null;
  user_email: string | null;
  confirmed: PeopleService[];
  completed_at: Date | null;
}

/** An erasure whose next round this process runs. */
export interface OpenErasure {
  id: number;
  business_id: number;
  person_sealed: string;
  requested_at: Date;
  /** All services of an open erasure: it waits for files only. */
  confirmed: PeopleService[];
  age_seconds: number;
}

/** A round that takes longer renews its claim. After a crash another process begins the round again. */
const CLAIM = '60 seconds';

@Injectable()
export class ErasuresStore {
  constructor(private readonly db: Database) {}

  async add(tx: Tx, erasure: { business_id: number; user_id: number; contact: string; reason: string }): Promise<number> {
    const { business_id, user_id, contact, reason } = erasure;
    const [row] = await tx.query<{ id: number }>(
      `INSERT INTO access.erasures (business_id, requested_by, contact, reason) VALUES ($1, $2, $3, $4) RETURNING id`,
      [business_id, user_id, contact, reason],
    );
    if (!row) throw new Error('an insert returned no row');
    return row.id;
  }

  /** The person stays until the erasure is complete. */
  async setPerson(tx: Tx, id: number, sealed: string): Promise<void> {
    await tx.query('UPDATE access.erasures SET person_sealed = $2 WHERE id = $1', [id, sealed]);
  }

  async countOpen(businessId: number): Promise<number> {
    const sql = 'SELECT count(*)::integer AS n FROM access.erasures WHERE business_id = $1 AND completed_at IS NULL';
    return (await this.db.query<{ n: number }>(sql, [businessId]))[0]?.n ?? 0;
  }

  /** Newest first. */
  async list(businessId: number, limit: number, cursor: string | null): Promise<{ erasures: Erasure[]; next_cursor: string | null }> {
    const after = readCursor(cursor, ['id']);
    const rows = await this.db.reads(businessId).query<ErasureRow>(
      `SELECT e.id, e.contact, e.reason, e.requested_at, u.id AS user_id, u.name AS user_name, u.email AS user_email, e.confirmed, e.completed_at
       FROM access.erasures e LEFT JOIN access.users u ON u.id = e.requested_by
       WHERE e.business_id = $1 AND -e.id > -coalesce(least($3::bigint, 2147483647), 2147483647)::integer ORDER BY -e.id LIMIT $2`,
      [businessId, limit + 1, after?.[0] ?? null],
    );
    const { page, next_cursor } = pageOf(rows, limit, ({ id }) => [String(id)]);
    return { erasures: page.map(toErasure), next_cursor };
  }

  /** Claims a due erasure of the business whose last round is longest ago, so that no business waits for all erasures of another. */
  async claim(): Promise<OpenErasure | null> {
    const [row] = await this.db.query<OpenErasure>(
      `WITH first_due AS MATERIALIZED (
         SELECT DISTINCT ON (business_id) id, business_id, due_at FROM access.erasures
         WHERE completed_at IS NULL AND due_at <= now() ORDER BY business_id, due_at
       )
       UPDATE access.erasures SET due_at = now() + interval '${CLAIM}', round_at = now()
       WHERE id = (
         SELECT e.id FROM first_due f JOIN access.erasures e USING (id)
         WHERE e.completed_at IS NULL AND e.due_at <= now()
         ORDER BY (SELECT max(r.round_at) FROM access.erasures r WHERE r.business_id = f.business_id) NULLS FIRST, f.due_at
         LIMIT 1 FOR UPDATE OF e SKIP LOCKED
       )
       RETURNING id, business_id, person_sealed, requested_at, confirmed, extract(epoch FROM now() - requested_at)::float8 AS age_seconds`,
    );
    return row ?? null;
  }

  async renew(id: number): Promise<void> {
    await this.db.query(`UPDATE access.erasures SET due_at = now() + interval '${CLAIM}' WHERE id = $1 AND completed_at IS NULL`, [id]);
  }

  /** Ends a round. @param confirmed the services that found nothing in it */
  async endRound(id: number, confirmed: PeopleService[], isComplete: boolean, nextAfterSeconds: number): Promise<void> {
    await this.db.query(
      `UPDATE access.erasures SET confirmed = $2, due_at = now() + make_interval(secs => $4),
         completed_at = CASE WHEN $3 THEN now() END, person_sealed = CASE WHEN $3 THEN '' ELSE person_sealed END
       WHERE id = $1 AND completed_at IS NULL`,
      [id, confirmed, isComplete, nextAfterSeconds],
    );
  }
}

function toErasure({ user_id, user_name, user_email, requested_at, completed_at, ...row }: ErasureRow): Erasure {
  return {
    ...row,
    requested_at: requested_at.toISOString(),
    requested_by: user_id === null ? null : { id: user_id, name: user_name ?? '', email: user_email ?? '' },
    state: completed_at === null ? 'running' : 'done',
    completed_at: completed_at?.toISOString() ?? null,
  };
}
