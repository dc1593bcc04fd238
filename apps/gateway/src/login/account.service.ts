import { Injectable } from '@nestjs/common';
import { notFound, type GatewayError } from '@mgw/contracts';
import { Database, type Tx } from '@mgw/postgres';
import { AuditStore } from '../audit/audit.store';
import { GatewayConfig } from '../gateway.config';
import { invalid, noSession } from '../requests/refusals';
import type { SessionUser } from '../sessions/session-user';
import { SessionsStore } from '../sessions/sessions.store';
import { PasswordLinksStore } from '../users/password-links.store';
import { mailLimit, PasswordLinks } from '../users/password-links';
import { hashingTransaction, hashPassword, matchingHashes } from '../users/passwords';
import { normalizeEmail, UsersStore } from '../users/users.store';
import type { ChangePasswordRequest, SetPasswordRequest } from './account.requests';
import { LoginAttemptsStore } from '../users/login-attempts.store';
import { addressSubject, guessSubject, hashHolder } from '../users/login-subjects';

/** Maximum number of wrong current passwords of one user within 15 minutes, as for logins (spec §10), which count apart. */
const WRONG_PASSWORDS = 5;
const MESSAGE = 'Too many wrong passwords or links. Wait before you try again.';

/**
 * A person's own password and sessions. A change takes effect on every replica at once, because none caches sessions or passwords.
 * Transactions lock the address first, then the user, then the link, so that no two of them deadlock.
 */
@Injectable()
export class AccountService {
  constructor(
    private readonly db: Database,
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly links: PasswordLinksStore,
    private readonly personalLinks: PasswordLinks,
    private readonly attempts: LoginAttemptsStore,
    private readonly audit: AuditStore,
    private readonly config: GatewayConfig,
  ) {}

  /** Ends all other sessions, the user's link and the reset links that they made. @param token of the current session, which stays */
  async changePassword(user: SessionUser, token: string, { current_password, new_password }: ChangePasswordRequest): Promise<void> {
    const { user_id, business_id, email } = user;
    const current = await this.requirePassword(user, 'current_password', current_password);
    const change = async (tx: Tx) => {
      const password_hash = await hashPassword(new_password, `user:${user_id}`, await this.users.hashOfAddress(tx, email));
      if (!(await this.users.setPassword(tx, user_id, password_hash, current))) throw noSession();
      await this.links.end(tx, user_id);
      await this.sessions.endAll(tx, user_id, token);
      await this.audit.add({ user_id, business_id, action: 'password.changed', target: `user:${user_id}`, detail: {} }, tx);
    };
    await hashingTransaction(`business:${business_id}`, () => this.db.transaction(change, { mayPause: true }));
  }

  /** Checks a person's own password. @param field of the request. @returns the hash that the password matches */
  async requirePassword({ user_id }: SessionUser, field: string, password: string): Promise<string> {
    const subject = `password:${user_id}`;
    const { at } = await this.attempts.require([{ subject, limit: WRONG_PASSWORDS }], MESSAGE);
    const current = await this.users.hashOfUser(user_id);
    if (current === null) throw noSession();
    const check = () => matchingHashes([current], password, `user:${user_id}`);
    if ((await this.attempts.uncountIfRefused([subject], at, check)).size === 0) throw invalid(field, 'is not your password');
    await this.attempts.clear(subject);
    return current;
  }

  /**
   * Sets the password of a link's user, and ends their sessions, the link, and the reset links that they made. A token that is unknown,
   * used, replaced or expired gets the same response after the same time.
   */
  async setPassword({ token, new_password }: SetPasswordRequest, ip: string): Promise<void> {
    const subject = addressSubject(ip);
    const { at } = await this.attempts.require([{ subject, limit: this.config.loginIpLimit }], MESSAGE);
    const { user_id, email } = await this.attempts.uncountIfRefused([subject], at, () => this.useLink(token, new_password, ip));
    await this.attempts.uncount(subject, at);
    // Wrong logins with the forgotten password must not keep the person out.
    await this.attempts.clearAccount(email, null);
    await this.attempts.clear(guessSubject({ id: user_id }));
  }

  private async useLink(token: string, new_password: string, ip: string): Promise<{ user_id: number; email: string }> {
    const owner = await this.links.find(token);
    if (!owner) {
      await hashPassword(new_password, hashHolder(ip));
      throw refusedLink();
    }
    const { user_id, business_id, email } = owner;
    const use = async (tx: Tx) => {
      const password_hash = await hashPassword(new_password, hashHolder(ip), await this.users.hashOfAddress(tx, email));
      await this.users.setPassword(tx, user_id, password_hash);
      if (!(await this.links.use(tx, user_id, token))) throw refusedLink();
      await this.links.end(tx, user_id);
      await this.sessions.endAll(tx, user_id, null);
      await this.audit.add({ user_id, business_id, action: 'password.set', target: `user:${user_id}`, detail: {} }, tx);
    };
    await hashingTransaction(hashHolder(ip), () => this.db.transaction(use, { mayPause: true }));
    return { user_id, email };
  }

  /** Mails a link to the people with this address, without waiting. @returns the message, the same for unknown people */
  async mailLink(email: string, ip: string): Promise<string> {
    if (!this.personalLinks.areMailed)
      return 'This gateway sends no mail. Ask an owner of your business for a link; owners ask the operator.';
    const address = normalizeEmail(email);
    const limits = [
      mailLimit(address),
      // A request guesses nothing, so it uses up no logins of the network.
      { subject: `link:${addressSubject(ip)}`, limit: this.config.loginIpLimit },
    ];
    await this.attempts.require(limits, MESSAGE);
    this.personalLinks.mailResets(address, ip);
    return 'If we know this address, a link is on its way to it.';
  }

  listSessions({ user_id }: SessionUser, token: string) {
    return this.sessions.list(user_id, token);
  }

  async endSession({ user_id, business_id }: SessionUser, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await this.sessions.endById(tx, user_id, id))) throw notFound();
      await this.audit.add({ user_id, business_id, action: 'session.ended', target: `session:${id}`, detail: {} }, tx);
    });
  }
}

function refusedLink(): GatewayError {
  return invalid('token', 'is unknown, was used, or has expired. Ask for a new link.');
}
