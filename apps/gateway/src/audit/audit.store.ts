import { Injectable } from '@nestjs/common';
import { GatewayError, isNoResponse } from '@mgw/contracts';
import { Database, pageOf, readCursor, type Tx } from '@mgw/postgres';
import type { AuditAction } from './audit-actions';
import { currentOrigin } from './audit-origin';

/** The person who changes something. */
export interface Actor {
  user_id: number;
}

export interface AuditEntry {
  /** The acting user; null for the command line. */
  user_id: number | null;
  business_id: number | null;
  action: AuditAction;
  /** The changed resource as `<kind>:<id>`; null if the action has only one possible target. Never a phone number. */
  target: string | null;
  /** New values, never a secret or a customer's words. */
  detail: Record<string, unknown>;
}

/** An entry as it was stored. */
export interface AuditRow extends Omit<AuditEntry, 'action'> {
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
/** A login deletes far more entries than it adds, so that deletion keeps up with other writes. */
const PURGE_ROWS = 1_000;

const LIST = `
  SELECT a.id, a.at, a.user_id, a.business_id, coalesce(a.user_name, u.name) AS user_name, coalesce(a.user_email, u.email) AS user_email,
         a.action, a.target, a.ip, a.request_id, a.detail
    FROM access.audit a LEFT JOIN access.users u ON u.id = a.user_id`;

/** The audit log. A change in this schema adds its entry in the same transaction. */
@Injectable()
export class AuditStore {
  constructor(private readonly db: Database) {}

  async add(entry: AuditEntry, tx: Pick<Tx, 'query'> = this.db): Promise<void> {
    const origin = currentOrigin();
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
        JSON.stringify(entry.detail),
      ],
    );
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
      if (isUnknown) await this.add({ ...entry, detail: { ...entry.detail, outcome: 'unknown' } });
      throw error;
    }
    const more = known(result);
    if (more) await this.add({ ...entry, ...more });
    return result;
  }

  /** The entries that match, the newest first. */
  async list(
    filter: AuditFilter,
    { limit, cursor }: { limit: number; cursor: string | null },
  ): Promise<{ page: AuditRow[]; next_cursor: string | null }> {
    const values: unknown[] = [];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const conditions = [];
    const [before] = readCursor(cursor, ['id']) ?? [];
    if (before !== undefined) conditions.push(`a.id < ${bind(before)}::bigint`);
    if (filter.business_id !== null) conditions.push(`a.business_id = ${bind(filter.business_id)}::bigint`);
    if (filter.user_id !== null) conditions.push(`a.user_id = ${bind(filter.user_id)}::bigint`);
    if (filter.action !== null) conditions.push(`a.action = ${bind(filter.action)}`);
    if (filter.from !== null) conditions.push(`a.at >= ${startOf(filter.from, filter.timezone, bind)}`);
    if (filter.to !== null) conditions.push(endsBy(filter.to, filter.timezone, bind));
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    const rows = await this.db
      .reads(filter.business_id ?? 'service')
      .query<AuditRow>(`${LIST} ${where} ORDER BY a.id DESC LIMIT ${bind(limit + 1)}`, values);
    return pageOf(rows, limit, ({ id }) => [id]);
  }

  /** Deletes some expired entries. Each login calls it. @param keepDays age at which entries other than failed logins expire */
  async purge(keepDays: number): Promise<void> {
    await this.db.query(
      `DELETE FROM access.audit WHERE id IN (
         SELECT id FROM access.audit WHERE at < now() - make_interval(days => $1) ORDER BY at LIMIT ${PURGE_ROWS} FOR UPDATE SKIP LOCKED)`,
      [keepDays],
    );
    await this.db.query(
      `DELETE FROM access.audit WHERE id IN (
         SELECT id FROM access.audit WHERE action = '${FAILED_LOGIN}' AND at < now() - interval '${FAILED_LOGINS_FOR}'
          ORDER BY at LIMIT ${PURGE_ROWS} FOR UPDATE SKIP LOCKED)`,
    );
  }
}

const isDay = (bound: Bound) => bound.length === 'YYYY-MM-DD'.length;

function startOf(bound: Bound, timezone: string, bind: (value: unknown) => string): string {
  return isDay(bound) ? `${bind(bound)}::timestamp AT TIME ZONE ${bind(timezone)}` : `${bind(bound)}::timestamptz`;
}

function endsBy(bound: Bound, timezone: string, bind: (value: unknown) => string): string {
  if (!isDay(bound)) return `a.at <= ${bind(bound)}::timestamptz`;
  return `a.at < (${bind(bound)}::timestamp + interval '1 day') AT TIME ZONE ${bind(timezone)}`;
}
