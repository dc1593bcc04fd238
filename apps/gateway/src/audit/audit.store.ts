import { Inject, Injectable } from '@nestjs/common';
import { GatewayError, isNoResponse } from '@mgw/contracts';
import { Database, examine, filteredPage, readCursor, type Examined, type Tx } from '@mgw/postgres';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import type { AuditAction } from './audit-actions';
import { currentOrigin, type Origin } from './audit-origin';

/** The person who changes something. */
export interface Actor {
  user_id: number;
}

/** A user or an API key of a business, who changes something. */
export interface Author {
  user_id: number | null;
  business_id: number;
  api_key_id?: number;
}

/** The fields of an entry that name its author. */
export const authorFields = ({ user_id, api_key_id, business_id }: Author): Author => ({
  user_id,
  business_id,
  ...(api_key_id !== undefined && { api_key_id }),
});

export interface AuditEntry {
  /** The acting user; null for an API key and for the command line. */
  user_id: number | null;
  /** The acting API key, which the entry shows in its detail. */
  api_key_id?: number;
  business_id: number | null;
  action: AuditAction;
  /** The changed resource as `<kind>:<id>`; null if the action has only one possible target. Never a phone number. */
  target: string | null;
  /** New values, never a secret or a customer's words. */
  detail: Record<string, unknown>;
}

/** An author's entry. */
export function entryBy(author: Author, action: AuditAction, target: string | null = null, detail: AuditEntry['detail'] = {}): AuditEntry {
  return { ...authorFields(author), action, target, detail };
}

/** Four digits of the number, because an entry outlives the contact's data (decision 293). */
export const contactTarget = (phone: string) => `contact:…${phone.slice(-4)}`;

/** An entry as it was stored. */
export interface AuditRow extends Omit<AuditEntry, 'action' | 'api_key_id'> {
  id: string;
  at: Date;
  user_name: string | null;
  user_email: string | null;
  action: AuditAction;
  ip: string | null;
  request_id: string | null;
}

/** A day (`YYYY-MM-DD`, in the time zone of the filter) or a time with its zone. */
type Bound = string;

export interface AuditFilter {
  /** Null for all businesses. */
  business_id: number | null;
  user_id: number | null;
  action: AuditAction | null;
  /** Both included. */
  from: Bound | null;
  to: Bound | null;
  timezone: string;
}

/** Anyone can add entries of this action, so they expire early. */
export const FAILED_LOGIN = 'session.refused' satisfies AuditAction;
const FAILED_LOGINS_FOR = '90 days';
/** Anyone can request a link for a known address, so the log has one entry a day for each person (decision 420). */
export const FORGOTTEN = 'password.forgotten' satisfies AuditAction;
/** A login deletes far more entries than it adds, so that deletion keeps up with other writes. */
const PURGE_ROWS = 1_000;

/** @param bound SQL of a day (`YYYY-MM-DD`, in the zone $8) or of a time with its zone; `next` is added to a day, `after` to a time */
const instant = (bound: string, { next, after }: { next: string; after: string }) =>
  `CASE WHEN length(${bound}) = ${'YYYY-MM-DD'.length} THEN (${bound}::timestamp + interval '${next}') AT TIME ZONE $8
        ELSE ${bound}::timestamptz + interval '${after}' END`;

/** @param condition one that an index serves in this order */
const listed = (condition: string) =>
  examine(
    `SELECT a.id, a.at, a.user_id, a.business_id, coalesce(a.user_name, u.name) AS user_name, coalesce(a.user_email, u.email) AS user_email,
            a.action, a.target, a.ip, a.request_id, a.detail
       FROM access.audit a LEFT JOIN access.users u ON u.id = a.user_id
      WHERE ${condition} AND a.id < coalesce($1::bigint, 9223372036854775807)
      ORDER BY a.id DESC LIMIT $2`,
    `($4::bigint IS NULL OR row.user_id = $4) AND ($5::text IS NULL OR row.action = $5)
       AND ($6::text IS NULL OR row.at >= ${instant('$6::text', { next: '0', after: '0' })})
       AND ($7::text IS NULL OR row.at < ${instant('$7::text', { next: '1 day', after: '1 millisecond' })})`,
    { examined: '$2', returned: '$3' },
  );
const NEWEST = listed('true');
const NEWEST_OF_BUSINESS = listed('a.business_id = $9::bigint');

/** The audit log. A change in this schema adds its entry in the same transaction. */
@Injectable()
export class AuditStore {
  constructor(
    private readonly db: Database,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async add(entry: AuditEntry, tx: Pick<Tx, 'query'> = this.db, origin = currentOrigin()): Promise<void> {
    const { api_key_id, detail } = entry;
    await tx.query(
      `INSERT INTO access.audit (user_id, user_name, user_email, business_id, action, target, ip, request_id, detail)
       SELECT acting.id, u.name, u.email, $2, $3, $4, $5, $6, $7
         FROM (SELECT $1::integer AS id) acting LEFT JOIN access.users u ON u.id = acting.id`,
      [
        entry.user_id,
        entry.business_id,
        entry.action,
        entry.target,
        origin?.ip ?? null,
        origin?.request_id ?? null,
        JSON.stringify({ ...(api_key_id !== undefined && { api_key_id }), ...detail }),
      ],
    );
  }

  /**
   * Adds that somebody requested a link for this person. The caller's transaction holds the person's link, so that two do not add it.
   * @param origin of the request, which has its response by now
   */
  async addForgotten(person: Pick<AuditEntry, 'user_id' | 'business_id'>, origin: Origin | null, tx: Pick<Tx, 'query'>): Promise<void> {
    const recent = await tx.query(
      `SELECT FROM access.audit WHERE action = '${FORGOTTEN}' AND user_id = $1 AND at > now() - interval '1 day' LIMIT 1`,
      [person.user_id],
    );
    if (recent.length > 0) return;
    await this.add({ ...person, action: FORGOTTEN, target: `user:${person.user_id}`, detail: {} }, tx, origin);
  }

  /**
   * Runs a write of another service and adds its entry. After a lost response the write may have happened, so the entry's detail has
   * `outcome: 'unknown'`. A refused write has no entry.
   * @param known what only the result shows, such as a created id; null if an earlier request made the write
   */
  async record<T>(
    entry: AuditEntry,
    write: () => Promise<T>,
    known: (result: T) => Partial<Pick<AuditEntry, 'target' | 'detail'>> | null = () => ({}),
  ): Promise<T> {
    let result: T;
    try {
      result = await write();
    } catch (error) {
      const isUnknown = isNoResponse(error) || (error instanceof GatewayError && error.error_code === 'OUTCOME_UNKNOWN');
      if (isUnknown) await this.addAfterwards({ ...entry, detail: { ...entry.detail, outcome: 'unknown' } });
      throw error;
    }
    const more = known(result);
    if (more) await this.addAfterwards({ ...entry, ...more });
    return result;
  }

  /** The caller gets the result of the write even when its entry cannot be stored; the log has the entry then. */
  private async addAfterwards(entry: AuditEntry): Promise<void> {
    try {
      await this.add(entry);
    } catch (error) {
      this.logger.error({ err: error, entry }, 'storing an audit entry failed');
    }
  }

  /** The entries that match, the newest first. Filters are compared entry by entry, so a page may be short or empty. */
  async list(
    { business_id, user_id, action, from, to, timezone }: AuditFilter,
    { limit, cursor }: { limit: number; cursor: string | null },
  ): Promise<{ page: AuditRow[]; next_cursor: string | null }> {
    readCursor(cursor, ['id']);
    const reads = this.db.reads(business_id ?? 'service');
    return filteredPage<AuditRow & Examined>(
      limit,
      cursor,
      (scan) => {
        const before = readCursor(scan.cursor, ['id'])?.[0] ?? null;
        const values = [before, scan.examined, scan.returned, user_id, action, from && parsable(from), to && parsable(to), timezone];
        return business_id === null ? reads.query(NEWEST, values) : reads.query(NEWEST_OF_BUSINESS, [...values, business_id]);
      },
      ({ id }) => [id],
    );
  }

  /** Deletes some expired entries. Each login calls it. @param keepDays age at which entries other than failed logins expire */
  async purge(keepDays: number): Promise<void> {
    await this.db.query(
      `DELETE FROM access.audit WHERE id = ANY (ARRAY(
         SELECT id FROM access.audit WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT ${PURGE_ROWS} FOR UPDATE SKIP LOCKED))`,
      [keepDays],
    );
    await this.db.query(
      `DELETE FROM access.audit WHERE id = ANY (ARRAY(
         SELECT id FROM access.audit WHERE action = '${FAILED_LOGIN}' AND at < now() - interval '${FAILED_LOGINS_FOR}'
          ORDER BY at LIMIT ${PURGE_ROWS} FOR UPDATE SKIP LOCKED))`,
    );
  }
}

/** JavaScript reads more zones and fractions of a second than PostgreSQL. */
export const parsable = (bound: Bound) => (bound.length === 'YYYY-MM-DD'.length ? bound : new Date(bound).toISOString());
