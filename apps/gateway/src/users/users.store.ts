import { Injectable } from '@nestjs/common';
import { Database, type Tx } from '@mgw/postgres';
import { ROLE_COLUMN, type Role, type TeamRole } from '../sessions/session-user';

export interface NewUser {
  /** Null only for an operator. */
  business_id: number | null;
  email: string;
  name: string;
  role: Role;
  password_hash: string;
  /** Whether the person has not set a password yet. */
  invited: boolean;
}
/** A row of the team's list. */
interface TeamMember {
  id: number;
  email: string;
  name: string;
  role: TeamRole;
  invited: boolean;
  totp: boolean;
  created_at: Date;
}
export type StoredUser = Omit<NewUser, 'invited'> & { id: number; totp: boolean };
/** A user with the name of their business; operators have none. */
export type Account = StoredUser & { business: string | null };

@Injectable()
export class UsersStore {
  constructor(private readonly db: Database) {}

  /** @returns the new id, or null if the business (or the operators) already have a user with this address */
  async add(tx: Tx, user: NewUser): Promise<number | null> {
    const [row] = await tx.query<{ id: number }>(
      `INSERT INTO access.users (business_id, email, name, role, password_hash, invited) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT (email, coalesce(business_id, 0)) DO NOTHING RETURNING id`,
      [user.business_id, user.email, user.name, user.role, user.password_hash, user.invited],
    );
    return row?.id ?? null;
  }

  /** Owners first, then managers, then agents; each by name. */
  listByBusiness(businessId: number): Promise<TeamMember[]> {
    return this.db.query<TeamMember>(
      `SELECT id, email, name, ${ROLE_COLUMN}, invited, totp, created_at FROM access.users WHERE business_id = $1 ORDER BY role DESC, name, id`,
      [businessId],
    );
  }

  /** Whether the user is an owner of the business. Locks the business, so that its users are removed one transaction at a time. */
  async isOwner(tx: Tx, businessId: number, id: number): Promise<boolean> {
    await tx.query(`SELECT 1 FROM access.businesses WHERE id = $1 FOR NO KEY UPDATE`, [businessId]);
    const rows = await tx.query(`SELECT 1 FROM access.users WHERE business_id = $1 AND id = $2 AND role = 'owner'`, [businessId, id]);
    return rows.length > 0;
  }

  /** @returns the user, or null if the business has no such user */
  async changeRole(tx: Tx, businessId: number, id: number, role: TeamRole): Promise<{ email: string; name: string } | null> {
    const [user] = await tx.query<{ email: string; name: string }>(
      `UPDATE access.users SET role = $3 WHERE business_id = $1 AND id = $2::bigint RETURNING email, name`,
      [businessId, id, role],
    );
    return user ?? null;
  }

  /** Counts the owners who have set a password. */
  async countOwners(tx: Tx, businessId: number): Promise<number> {
    const owners = await tx.query(`SELECT FROM access.users WHERE business_id = $1 AND role = 'owner' AND NOT invited`, [businessId]);
    return owners.length;
  }

  /** Counts the people of a business, and locks it against further ones until the transaction ends. */
  async countPeople(tx: Tx, businessId: number): Promise<number> {
    await tx.query(`SELECT 1 FROM access.businesses WHERE id = $1 FOR NO KEY UPDATE`, [businessId]);
    const [row] = await tx.query<{ count: number }>(`SELECT count(*)::integer AS count FROM access.users WHERE business_id = $1`, [
      businessId,
    ]);
    return row?.count ?? 0;
  }

  /** Removes a user with their sessions and link. @returns null if the business has no such user */
  async remove(tx: Tx, businessId: number, id: number): Promise<{ email: string; name: string } | null> {
    const [user] = await tx.query<{ email: string; name: string }>(
      `DELETE FROM access.users WHERE business_id = $1 AND id = $2::bigint RETURNING email, name`,
      [businessId, id],
    );
    return user ?? null;
  }

  /** The names of these users of the business; a removed user has none. */
  async namesOf(businessId: number, ids: number[]): Promise<Map<number, string>> {
    const sql = 'SELECT id, name FROM access.users WHERE business_id = $1 AND id = ANY ($2::bigint[])';
    const users = ids.length > 0 ? await this.db.query<{ id: number; name: string }>(sql, [businessId, ids]) : [];
    return new Map(users.map(({ id, name }) => [id, name]));
  }

  /** Locks the user against removal. */
  async find(tx: Tx, id: number): Promise<Pick<StoredUser, 'business_id' | 'email'> | null> {
    const [user] = await tx.query<Pick<StoredUser, 'business_id' | 'email'>>(
      `SELECT business_id, email FROM access.users WHERE id = $1::bigint FOR KEY SHARE`,
      [id],
    );
    return user ?? null;
  }

  async hashOfUser(id: number): Promise<string | null> {
    const [user] = await this.db.query<{ password_hash: string }>(`SELECT password_hash FROM access.users WHERE id = $1`, [id]);
    return user?.password_hash ?? null;
  }

  /** @returns false if the user does not exist, or if `current` is given and is no longer their hash */
  async setPassword(tx: Tx, id: number, password_hash: string, current: string | null = null): Promise<boolean> {
    const changed = await tx.query(
      `UPDATE access.users SET password_hash = $2, invited = false WHERE id = $1 AND ($3::text IS NULL OR password_hash = $3) RETURNING id`,
      [id, password_hash, current],
    );
    return changed.length > 0;
  }

  /** The users with this address, one per business at most, the oldest first. */
  allByEmail(email: string): Promise<Account[]> {
    return this.db.query<Account>(
      `SELECT u.id, business_id, email, u.name, ${ROLE_COLUMN}, password_hash, totp, b.name AS business
         FROM access.users u LEFT JOIN access.businesses b ON b.id = u.business_id WHERE email = $1 ORDER BY u.id`,
      [email],
    );
  }

  /**
   * A password hash of a user with this address, or null. All hashes of an address share a salt, so that one computation checks a
   * password against all of them. The lock keeps other transactions from adding a user with this address.
   */
  async hashOfAddress(tx: Tx, email: string): Promise<string | null> {
    await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [email]);
    const [user] = await tx.query<{ password_hash: string }>(
      `SELECT password_hash FROM access.users WHERE email = $1 ORDER BY id LIMIT 1`,
      [email],
    );
    return user?.password_hash ?? null;
  }
}

/** Addresses are compared without regard to case or surrounding spaces. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase();
}
