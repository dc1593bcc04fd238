import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '@mgw/postgres';
import { ABSOLUTE_SECONDS, IDLE_SECONDS } from './session-life';
import type { SessionUser } from './session-user';

const ALIVE = `s.last_used_at > now() - make_interval(secs => ${IDLE_SECONDS}) AND s.created_at > now() - make_interval(secs => ${ABSOLUTE_SECONDS})`;

/** Updates the last use at most once a minute, so that few reads write. Against 12 hours this is exact enough. */
const FIND = `
  WITH found AS (
    SELECT s.token_hash, s.last_used_at, u.id AS user_id, u.email, u.name, u.role, u.business_id
      FROM access.sessions s JOIN access.users u ON u.id = s.user_id
     WHERE s.token_hash = $1 AND ${ALIVE}
  ), used AS (
    UPDATE access.sessions s SET last_used_at = now() FROM found
     WHERE $2 AND s.token_hash = found.token_hash AND found.last_used_at < now() - interval '1 minute'
  )
  SELECT user_id, email, name, role, business_id FROM found`;

@Injectable()
export class SessionsStore {
  constructor(private readonly db: Database) {}

  /** Opens a session and ends the browser's previous one. @returns the cookie's value; only its hash is stored */
  async open(user_id: number, replaced: string | null): Promise<string> {
    const token = randomBytes(32).toString('base64url');
    await this.db.transaction(async (tx) => {
      if (replaced !== null) await tx.query(`DELETE FROM access.sessions WHERE token_hash = $1`, [hashed(replaced)]);
      await tx.query(`INSERT INTO access.sessions (token_hash, user_id) VALUES ($1, $2)`, [hashed(token), user_id]);
    });
    return token;
  }

  /** @param used whether the call keeps the session alive; a browser's own calls do not */
  async find(token: string, used: boolean): Promise<SessionUser | null> {
    const [user] = await this.db.query<SessionUser>(FIND, [hashed(token), used]);
    return user ?? null;
  }

  /** Ends a session on every replica at once, because none caches sessions. */
  async end(token: string): Promise<void> {
    await this.db.query(`DELETE FROM access.sessions WHERE token_hash = $1`, [hashed(token)]);
  }

  /** Deletes some expired sessions. Each login calls it. */
  async purge(): Promise<void> {
    await this.db.query(
      `DELETE FROM access.sessions WHERE token_hash IN (
         SELECT token_hash FROM access.sessions s WHERE NOT (${ALIVE}) ORDER BY s.created_at LIMIT 100 FOR UPDATE SKIP LOCKED)`,
    );
  }
}

/** A plain hash is enough, because the token has 256 random bits. */
function hashed(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
