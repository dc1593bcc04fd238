import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { GatewayError, notFound } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { AuditStore } from '../audit/audit.store';
import { BusinessesStore } from '../businesses/businesses.store';
import { noSession } from '../requests/refusals';
import type { BusinessUser, SessionUser, TeamRole } from '../sessions/session-user';
import type { PersonalLink } from './password-links';
import { PasswordLinksStore } from './password-links.store';
import { hashingTransaction, hashPassword } from './passwords';
import type { AddUserRequest, ChangeUserRequest } from './users.requests';
import { normalizeEmail, UsersStore, type NewUser, type StoredUser } from './users.store';

/** Maximum number of people of a business, so that no business fills the list or adds addresses without end (decision 719). */
const MAX_PEOPLE = 500;

/** `password` is null for a person who gets a link to set their own. */
type NewPerson = Omit<NewUser, 'password_hash' | 'invited'> & { password: string | null };

@Injectable()
export class UsersService {
  constructor(
    private readonly db: Database,
    private readonly users: UsersStore,
    private readonly links: PasswordLinksStore,
    private readonly businesses: BusinessesStore,
    private readonly audit: AuditStore,
  ) {}

  /** @returns the new user, with a link if the request has no password */
  async addToBusiness(
    by: SessionUser,
    business_id: number,
    { email, name, password, role }: AddUserRequest,
  ): Promise<{ id: number; link: PersonalLink | null }> {
    await this.businesses.get(business_id);
    return this.add({ business_id, email, name, role: roleNamed(role), password: password ?? null }, by);
  }

  async listByBusiness(business_id: number) {
    const users = await this.users.listByBusiness(business_id);
    return users.map((user) => ({ ...user, created_at: user.created_at.toISOString() }));
  }

  /** Owners cannot remove themselves or act after their own removal, so that a business always has an owner. */
  async remove(owner: BusinessUser, id: number): Promise<void> {
    const { user_id, business_id } = owner;
    if (id === user_id) throw new GatewayError('CONFLICT', 'You cannot remove yourself: another owner can.');
    await this.db.transaction(async (tx) => {
      await this.requireMembership(tx, owner);
      const removed = await this.users.remove(tx, business_id, id);
      if (!removed) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'user.removed', target: `user:${id}`, detail: removed }, tx);
    });
  }

  /** Takes effect with the user's next request. A business keeps at least one owner. The links that an owner created end when they lose that role. */
  async changeRole(owner: BusinessUser, id: number, request: ChangeUserRequest): Promise<void> {
    const { user_id, business_id } = owner;
    const role = roleNamed(request.role);
    await this.db.transaction(async (tx) => {
      await this.requireMembership(tx, owner);
      const user = await this.users.changeRole(tx, business_id, id, role);
      if (!user) throw notFound();
      if ((await this.users.countOwners(tx, business_id)) === 0)
        throw new GatewayError('CONFLICT', 'A business needs an owner: make another person the owner first.');
      if (role !== 'owner') await this.links.endMadeBy(tx, id);
      const detail = { ...user, role };
      await this.audit.add({ user_id, business_id, action: 'user.role-changed', target: `user:${id}`, detail }, tx);
    });
  }

  /** Creates a link with which the user sets a new password. The old one works until then, so a reset locks nobody out. */
  async reset(by: SessionUser, id: number): Promise<PersonalLink> {
    return this.db.transaction(async (tx) => {
      const { business_id, email } = await this.requireOther(tx, by, id);
      const link = await this.links.create(tx, id, by.user_id);
      await this.audit.add({ user_id: by.user_id, business_id, action: 'user.reset', target: `user:${id}`, detail: { email } }, tx);
      return { ...link, email, business_id, purpose: 'reset' as const };
    });
  }

  /** Finds another person whose login an owner or an operator may change. @throws GatewayError NOT_FOUND for other businesses' people */
  async requireOther(tx: Tx, by: SessionUser, id: number): Promise<Pick<StoredUser, 'business_id' | 'email'>> {
    // A stolen session must not change the login without knowing the password.
    if (id === by.user_id) throw new GatewayError('CONFLICT', 'Change your own login on your account page.');
    await this.requireMembership(tx, by);
    const user = await this.users.find(tx, id);
    if (!user || (by.business_id !== null && user.business_id !== by.business_id)) throw notFound();
    return user;
  }

  /** Called by the command that creates the first operator; there is no default password (spec §11). */
  async addOperator(person: { email: string; name: string; password: string }): Promise<number> {
    const { id } = await this.add({ ...person, business_id: null, role: 'operator' }, null);
    return id;
  }

  /** @param by the user who adds; null for the command line */
  private async add({ password, ...person }: NewPerson, by: SessionUser | null): Promise<{ id: number; link: PersonalLink | null }> {
    const email = normalizeEmail(person.email);
    const invited = password === null;
    const add = async (tx: Tx) => {
      if (by) await this.requireMembership(tx, by);
      if (person.business_id !== null && (await this.users.countPeople(tx, person.business_id)) >= MAX_PEOPLE)
        throw new GatewayError('CONFLICT', `A business has at most ${MAX_PEOPLE} people. Remove one who no longer needs access.`);
      // Nobody knows the random password, so logging in takes as long as for any other user.
      const password_hash = await hashPassword(
        password ?? randomBytes(32).toString('base64url'),
        by ? `user:${by.user_id}` : 'command line',
        await this.users.hashOfAddress(tx, email),
      );
      const id = await this.users.add(tx, { ...person, email, password_hash, invited });
      const existing = person.business_id === null ? 'an operator with this email' : 'a user with this email in this business';
      if (id === null) throw new GatewayError('CONFLICT', `There is ${existing} already.`);
      const link = by && invited ? await this.links.create(tx, id, by.user_id) : null;
      const { business_id, name, role } = person;
      const action = invited ? 'user.invited' : 'user.created';
      const detail = { email, name, role };
      await this.audit.add({ user_id: by?.user_id ?? null, business_id, action, target: `user:${id}`, detail }, tx);
      return { id, link: link && { ...link, email, business_id, purpose: 'invitation' as const } };
    };
    return hashingTransaction(`business:${by?.business_id ?? null}`, () => this.db.transaction(add, { mayPause: true }));
  }

  /** Refuses an owner whose removal came first: nobody lets others in after they are out. */
  private async requireMembership(tx: Tx, { business_id, user_id }: SessionUser): Promise<void> {
    if (business_id !== null && !(await this.users.isOwner(tx, business_id, user_id))) throw noSession();
  }
}

const roleNamed = (name: TeamRole | 'member'): TeamRole => (name === 'member' ? 'agent' : name);
