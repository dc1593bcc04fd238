import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';

/** Secrets of authenticator apps. */
@Injectable()
export class TotpStore {
  constructor(private readonly db: Database) {}

  /** Replaces a secret that is not confirmed. @returns false if the user logs in with codes already */
  async begin(tx: Tx, user_id: number, secret_sealed: string): Promise<boolean> {
    const begun = await tx.query(
      `INSERT INTO access.totp (user_id, secret_sealed) SELECT id, $2 FROM access.users WHERE id = $1 AND NOT totp FOR NO KEY UPDATE
       ON CONFLICT (user_id) DO UPDATE SET secret_sealed = EXCLUDED.secret_sealed RETURNING user_id`,
      [user_id, secret_sealed],
    );
    return begun.length > 0;
  }

  /** @param enabled whether the user logs in with codes; else the secret is to be confirmed */
  async secretOf(user_id: number, enabled: boolean): Promise<string | null> {
    const [row] = await this.db.query<{ secret_sealed: string }>(
      `SELECT secret_sealed FROM access.totp JOIN access.users ON id = user_id WHERE user_id = $1 AND totp = $2`,
      [user_id, enabled],
    );
    return row?.secret_sealed ?? null;
  }

  /** @returns false if the user logs in with codes already, or the secret was replaced */
  async enable(tx: Tx, user_id: number, secret_sealed: string, step: number, recovery_codes: readonly Buffer[]): Promise<boolean> {
    const enabled = await tx.query(`UPDATE access.users SET totp = true WHERE id = $1 AND NOT totp RETURNING id`, [user_id]);
    const stored = await tx.query(
      `UPDATE access.totp SET last_step = $3, recovery_codes = $4::bytea[] WHERE user_id = $1 AND secret_sealed = $2 RETURNING user_id`,
      [user_id, secret_sealed, step, recovery_codes],
    );
    return enabled.length > 0 && stored.length > 0;
  }

  /** Uses the code of a period. @returns false if it, or one of a later period, was used */
  async useStep(user_id: number, step: number): Promise<boolean> {
    const used = await this.db.query(`UPDATE access.totp SET last_step = $2 WHERE user_id = $1 AND last_step < $2 RETURNING user_id`, [
      user_id,
      step,
    ]);
    return used.length > 0;
  }

  /** @returns false for an unknown or used code */
  async useRecoveryCode(user_id: number, hash: Buffer): Promise<boolean> {
    const used = await this.db.query(
      `UPDATE access.totp SET recovery_codes = array_remove(recovery_codes, $2) WHERE user_id = $1 AND $2 = ANY (recovery_codes) RETURNING user_id`,
      [user_id, hash],
    );
    return used.length > 0;
  }

  async recoveryCodesLeft(user_id: number): Promise<number> {
    const [row] = await this.db.query<{ left: number }>(`SELECT cardinality(recovery_codes) AS left FROM access.totp WHERE user_id = $1`, [
      user_id,
    ]);
    return row?.left ?? 0;
  }

  /** @returns false if the user had none */
  async remove(tx: Tx, user_id: number): Promise<boolean> {
    const removed = await tx.query(`UPDATE access.users SET totp = false WHERE id = $1 AND totp RETURNING id`, [user_id]);
    await tx.query(`DELETE FROM access.totp WHERE user_id = $1`, [user_id]);
    return removed.length > 0;
  }
}
