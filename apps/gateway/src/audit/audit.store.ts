import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';

/** The person who changes something. */
export interface Actor {
  user_id: number;
}

export interface AuditEntry {
  /** Who did it; null for a command run on the machine. */
  user_id: number | null;
  business_id: number | null;
  /** What was done, for example `api-key.revoked`. */
  action: string;
  /** Ids and new values; never a secret. */
  detail: Record<string, unknown>;
}

/** Strangers can add entries of this action, so they are kept for a time only. */
export const FAILED_LOGIN = 'session.refused';
const FAILED_LOGINS_FOR = '90 days';

/** Who changed what: written in the transaction of the change where the change is in this schema. */
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

  /** Deletes old failed logins; a few at a time, with each login. */
  async purge(): Promise<void> {
    await this.db.query(
      `DELETE FROM access.audit WHERE id IN (
         SELECT id FROM access.audit WHERE action = '${FAILED_LOGIN}' AND at < now() - interval '${FAILED_LOGINS_FOR}'
          ORDER BY at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
  }
}
