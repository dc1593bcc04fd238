import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { AuditStore } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { noSession, notFound } from '../requests/refusals';
import type { BusinessUser, SessionUser } from '../sessions/session-user';
import { hashPassword } from './passwords';
import type { AddUserRequest } from './users.requests';
import { normalizeEmail, UsersStore, type NewUser } from './users.store';

type NewPerson = Omit<NewUser, 'password_hash'> & { password: string };

@Injectable()
export class UsersService {
  constructor(
    private readonly db: Database,
    private readonly users: UsersStore,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
  ) {}

  async addToBusiness(operator: SessionUser, business_id: number, { email, name, password, role }: AddUserRequest): Promise<number> {
    await this.businesses.get(business_id);
    return this.add({ business_id, email, name, role, password }, operator.user_id);
  }

  async listByBusiness(business_id: number) {
    const users = await this.users.listByBusiness(business_id);
    return users.map((user) => ({ ...user, created_at: user.created_at.toISOString() }));
  }

  /** Owners cannot remove themselves or act after their own removal, so that a business always has an owner. */
  async remove({ user_id, business_id }: BusinessUser, id: number): Promise<void> {
    if (id === user_id) throw new GatewayError('CONFLICT', 'You cannot remove yourself: another owner can.');
    await this.db.transaction(async (tx) => {
      if (!(await this.users.isOwner(tx, business_id, user_id))) throw noSession();
      if (!(await this.users.remove(tx, business_id, id))) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'user.removed', detail: { removed_user_id: id } }, tx);
    });
  }

  /** Called by the command that creates the first operator; there is no default password (spec §11). */
  addOperator(person: Pick<NewPerson, 'email' | 'name' | 'password'>): Promise<number> {
    return this.add({ ...person, business_id: null, role: 'operator' }, null);
  }

  /** @param by the user who adds; null for the command line */
  private async add({ password, ...person }: NewPerson, by: number | null): Promise<number> {
    const email = normalizeEmail(person.email);
    return this.db.transaction(async (tx) => {
      const password_hash = await hashPassword(password, await this.users.hashOfAddress(tx, email));
      const id = await this.users.add(tx, { ...person, email, password_hash });
      if (id === null) throw new GatewayError('CONFLICT', 'There is a user with this email in this business already.');
      const { business_id, role } = person;
      await this.audit.add({ user_id: by, business_id, action: 'user.created', detail: { created_user_id: id, role } }, tx);
      return id;
    });
  }
}
