import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';

/** The person who changes something. */
export interface Actor {
  user_id: number;
}

export interface AuditEntry {
  /** The acting user; null for the command line. */
  user_id: number | null;
  business_id: number | null;
  /** For example `api-key.revoked`. */
  action: string;
  /** Ids and new values, never a secret. */
  detail: Record<string, unknown>;
}

/** Anyone can add entries of this action, so they expire. */
export const FAILED_LOGIN = 'session.refused';
const FAILED_LOGINS_FOR = '90 days';

/** The audit log. A change in this schema adds its entry in the same transaction. */
@Injectable()
export class AuditStore {
  constructor(private readonly db: Database) {}

  async add(entry: AuditEntry, tx: Pick<Tx, 'query'> = this.db): Promise<void> {
    await tx.query(`INSERT INTO access.audit (user_id, business_id, action, detail) VALUES ($1, $2, $3, $4)`, [
      entry.user_id,
      entry.business_id,
      entry.action,
      JSON.stringify(entry.detail),
    ]);
  }

  /** Deletes some expired failed logins. Each login calls it. */
  async purge(): Promise<void> {
    await this.db.query(
      `DELETE FROM access.audit WHERE id IN (
         SELECT id FROM access.audit WHERE action = '${FAILED_LOGIN}' AND at < now() - interval '${FAILED_LOGINS_FOR}'
          ORDER BY at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
  }
}
