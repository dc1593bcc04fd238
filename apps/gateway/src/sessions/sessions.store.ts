import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';
import { GatewayConfig } from '../gateway.config';
import { ABSOLUTE_SECONDS, IDLE_SECONDS } from './session-cookie';
import { ROLE_COLUMN, type SessionUser } from './session-user';
import { tokenHash } from './token-hash';

const ALIVE = `s.last_used_at > now() - make_interval(secs => ${IDLE_SECONDS}) AND s.created_at > now() - make_interval(secs => ${ABSOLUTE_SECONDS})`;

/** Updates the last use at most once a minute, so that few reads write. Against 12 hours this is exact enough. */
const FIND = `
  WITH found AS (
    SELECT s.token_hash, s.last_used_at, u.id AS user_id, u.email, u.name, ${ROLE_COLUMN}, u.business_id,
           u.totp, NOT s.oidc AND coalesce(b.require_totp, $3) AS totp_required
      FROM access.sessions s JOIN access.users u ON u.id = s.user_id LEFT JOIN access.businesses b ON b.id = u.business_id
     WHERE s.token_hash = $1 AND ${ALIVE}
  ), used AS (
    UPDATE access.sessions s SET last_used_at = now() FROM found
     WHERE $2 AND s.token_hash = found.token_hash AND found.last_used_at < now() - interval '1 minute'
  )
  SELECT user_id, email, name, role, business_id, totp, totp_required FROM found`;

/** Maximum number of sessions in a person's list: the most recently used ones. */
const LIST_MAX = 100;
const USER_AGENT_MAX = 300;

interface StoredSession {
  id: number;
  created_at: Date;
  last_used_at: Date;
  ip: string | null;
  user_agent: string | null;
  current: boolean;
}

@Injectable()
export class SessionsStore {
  constructor(
    private readonly db: Database,
    private readonly config: GatewayConfig,
  ) {}

  /**
   * Opens a session and ends the browser's previous one. The lock makes a concurrent change of the password wait, so that its end of all
   * sessions includes this one.
   * @param user with the password hash that the login matched, and whether it checked a code
   * @returns the cookie's value, of which only the hash is stored; null if the user no longer has this password, or two-step login changed
   */
  async open(
    { id, password_hash, totp }: { id: number; password_hash: string; totp: boolean },
    { ip, userAgent, oidc }: { ip: string; userAgent: string | null; oidc: boolean },
    replaced: string | null,
  ): Promise<string | null> {
    const token = randomBytes(32).toString('base64url');
    return this.db.transaction(async (tx) => {
      const opened = await tx.query(
        `INSERT INTO access.sessions (token_hash, user_id, ip, user_agent, oidc)
         SELECT $1, id, $4, $5, $7 FROM access.users WHERE id = $2 AND password_hash = $3 AND totp = $6 FOR SHARE RETURNING id`,
        [tokenHash(token), id, password_hash, ip, userAgent?.slice(0, USER_AGENT_MAX) ?? null, totp, oidc],
      );
      if (opened.length === 0) return null;
      if (replaced !== null) await tx.query(`DELETE FROM access.sessions WHERE token_hash = $1`, [tokenHash(replaced)]);
      return token;
    });
  }

  /** @param current token of the session that reads the list */
  async list(user_id: number, current: string) {
    const rows = await this.db.query<StoredSession>(
      `SELECT s.id, s.created_at, s.last_used_at, s.ip, s.user_agent, s.token_hash = $2 AS current
         FROM access.sessions s WHERE s.user_id = $1 AND ${ALIVE} ORDER BY s.last_used_at DESC, s.id DESC LIMIT ${LIST_MAX}`,
      [user_id, tokenHash(current)],
    );
    return rows.map((row) => ({ ...row, created_at: row.created_at.toISOString(), last_used_at: row.last_used_at.toISOString() }));
  }

  /** @returns false if the user has no such session */
  async endById(tx: Tx, user_id: number, id: number): Promise<boolean> {
    const ended = await tx.query(`DELETE FROM access.sessions WHERE user_id = $1 AND id = $2::bigint RETURNING id`, [user_id, id]);
    return ended.length > 0;
  }

  /** @param kept token of the session that stays; null ends all */
  async endAll(tx: Tx, user_id: number, kept: string | null): Promise<void> {
    await tx.query(`DELETE FROM access.sessions WHERE user_id = $1 AND ($2::bytea IS NULL OR token_hash <> $2)`, [
      user_id,
      kept === null ? null : tokenHash(kept),
    ]);
  }

  /** @param used whether the call keeps the session alive; a browser's own calls do not */
  async find(token: string, used: boolean): Promise<SessionUser | null> {
    const [user] = await this.db.query<SessionUser>(FIND, [tokenHash(token), used, this.config.operatorTotp === 'required']);
    return user ?? null;
  }

  /** Ends a session on every replica at once, because none caches sessions. */
  async end(token: string): Promise<void> {
    await this.db.query(`DELETE FROM access.sessions WHERE token_hash = $1`, [tokenHash(token)]);
  }

  /** Deletes some expired sessions. Each login calls it. */
  async purge(): Promise<void> {
    await this.db.query(
      `DELETE FROM access.sessions WHERE token_hash = ANY (ARRAY(
         SELECT token_hash FROM access.sessions s WHERE NOT (${ALIVE}) ORDER BY s.created_at LIMIT 100 FOR UPDATE SKIP LOCKED))`,
    );
  }
}
