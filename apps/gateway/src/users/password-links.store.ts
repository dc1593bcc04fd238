import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';
import { tokenHash } from '../sessions/token-hash';

const LIFE = `interval '24 hours'`;

/** A link is shown once; the database has only the hash of its token. */
export interface PasswordLink {
  token: string;
  expires_at: Date;
}

interface LinkOwner {
  user_id: number;
  business_id: number | null;
  email: string;
}

/** Links with which people set a password without knowing one: invitations and resets. */
@Injectable()
export class PasswordLinksStore {
  constructor(private readonly db: Database) {}

  /** Replaces the user's previous link. @param created_by another person, who hands it over */
  async create(tx: Tx, user_id: number, created_by: number): Promise<PasswordLink> {
    const link = await this.insert(tx, user_id, created_by);
    if (!link) throw new Error('a new link returned no row');
    return link;
  }

  /** Creates a link that anybody may request for the user. @returns null if the user has a link that another person handed over */
  createRequested(tx: Tx, user_id: number): Promise<PasswordLink | null> {
    return this.insert(tx, user_id, user_id);
  }

  private async insert(tx: Tx, user_id: number, created_by: number): Promise<PasswordLink | null> {
    const token = randomBytes(32).toString('base64url');
    const [row] = await tx.query<{ expires_at: Date }>(
      `INSERT INTO access.password_links AS l (user_id, created_by, token_hash, expires_at) VALUES ($1, $2, $3, now() + ${LIFE})
       ON CONFLICT (user_id) DO UPDATE
         SET created_by = EXCLUDED.created_by, token_hash = EXCLUDED.token_hash, expires_at = EXCLUDED.expires_at
         WHERE EXCLUDED.created_by <> l.user_id OR l.created_by = l.user_id OR l.expires_at <= now()
       RETURNING expires_at`,
      [user_id, created_by, tokenHash(token)],
    );
    return row ? { token, expires_at: row.expires_at } : null;
  }

  /** @returns null for a token that is unknown, used, replaced or expired */
  async find(token: string): Promise<LinkOwner | null> {
    const [owner] = await this.db.query<LinkOwner>(
      `SELECT u.id AS user_id, u.business_id, u.email FROM access.password_links l JOIN access.users u ON u.id = l.user_id
        WHERE l.token_hash = $1 AND l.expires_at > now()`,
      [tokenHash(token)],
    );
    return owner ?? null;
  }

  /** @returns false if the link was used, replaced or expired since it was found */
  async use(tx: Tx, user_id: number, token: string): Promise<boolean> {
    await this.lock(tx, user_id);
    const used = await tx.query(`DELETE FROM access.password_links WHERE token_hash = $1 AND expires_at > now() RETURNING user_id`, [
      tokenHash(token),
    ]);
    return used.length > 0;
  }

  /** Ends the user's own link and the reset links that they made: a thief of their session may have made those. */
  async end(tx: Tx, user_id: number): Promise<void> {
    await this.lock(tx, user_id);
    await tx.query(
      `DELETE FROM access.password_links l USING access.users u
        WHERE u.id = l.user_id AND (l.user_id = $1 OR l.created_by = $1 AND NOT u.invited)`,
      [user_id],
    );
  }

  /** Ends the links that the user made for others: they know them. */
  async endMadeBy(tx: Tx, user_id: number): Promise<void> {
    await this.lock(tx, user_id);
    await tx.query('DELETE FROM access.password_links WHERE created_by = $1 AND user_id <> $1', [user_id]);
  }

  /** In one order, so that two people who made each other's link do not deadlock. */
  private async lock(tx: Tx, user_id: number): Promise<void> {
    await tx.query('SELECT FROM access.password_links WHERE user_id = $1 OR created_by = $1 ORDER BY user_id FOR UPDATE', [user_id]);
  }
}
