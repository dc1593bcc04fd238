import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { AuditStore, FAILED_LOGIN } from '../audit/audit.store';
import { GatewayConfig } from '../gateway.config';
import { networkOf } from '../http/caller';
import type { SessionUser } from '../sessions/session-user';
import { SessionsStore } from '../sessions/sessions.store';
import { matchingHash } from '../users/passwords';
import { normalizeEmail, UsersStore, type StoredUser } from '../users/users.store';
import { KeyedMutex } from './keyed-mutex';
import { LoginAttemptsStore } from './login-attempts.store';
import { accountSubject, addressSubject } from './login-subjects';
import { OidcFailure } from './oidc.service';
import { SecondStep } from './second-step.service';

/** The most wrong passwords of one account within 15 minutes (spec §10). LOGIN_IP_LIMIT is the limit of an address. */
const ACCOUNT_LIMIT = 5;
const LIMITED = 'Too many wrong logins. Wait before you try again.';

/** The browser that logs in. */
export interface LoginOrigin {
  ip: string;
  userAgent: string | null;
  /** The token of the browser's current session, which the new login ends. */
  currentToken: string | null;
}

export interface Credentials extends LoginOrigin {
  email: string;
  password: string;
  /** Null without two-step login. */
  code: string | null;
}

@Injectable()
export class LoginService {
  /** Checks passwords of one account sequentially, so that concurrent right logins do not count as guesses. */
  private readonly accounts = new KeyedMutex();

  constructor(
    private readonly users: UsersStore,
    private readonly sessions: SessionsStore,
    private readonly secondStep: SecondStep,
    private readonly attempts: LoginAttemptsStore,
    private readonly audit: AuditStore,
    private readonly config: GatewayConfig,
  ) {}

  /** @throws GatewayError NOT_AUTHENTICATED for a wrong password and for an unknown user alike, RATE_LIMITED even for the right password */
  async login(credentials: Credentials): Promise<{ token: string; user: StoredUser }> {
    const email = normalizeEmail(credentials.email);
    const account = accountSubject(email);
    const user = await this.accounts.runExclusive(account, () => this.check(email, account, credentials));
    const detail = await this.secondStep.check(user, credentials.code, credentials.ip);
    const token = await this.open(user, credentials, detail);
    if (token === null) throw wrongLogin();
    return { token, user };
  }

  /**
   * Logs in the person whose address the OIDC provider has verified. Anybody may invite an address, so if several businesses have it, the
   * provider cannot say which one is meant.
   * @param verify talks to the provider, and throws if it refuses
   * @returns null for an address that nobody has
   * @throws OidcFailure for an address that several have
   */
  async loginVerified(origin: LoginOrigin, verify: () => Promise<string>): Promise<string | null> {
    await this.purge();
    const address = addressSubject(origin.ip);
    const { at } = await this.attempts.require([{ subject: address, limit: this.config.loginIpLimit }], LIMITED);
    const email = normalizeEmail(await verify());
    const [user, ...others] = await this.users.allByEmail(email);
    if (others.length > 0) throw new OidcFailure('several');
    const token = user ? await this.open(user, origin, { oidc: true }) : null;
    if (token !== null) await this.attempts.uncount(address, at);
    else {
      const detail = { account: accountSubject(email), network: networkOf(origin.ip), oidc: true };
      await this.audit.add({ user_id: null, business_id: null, action: FAILED_LOGIN, target: null, detail });
    }
    return token;
  }

  /** @returns null if the password or two-step login changed, or the user was removed, after the check */
  private async open(user: StoredUser, { ip, userAgent, currentToken }: LoginOrigin, detail: { second_step?: string; oidc?: true }) {
    const { id, business_id } = user;
    const token = await this.sessions.open(user, { ip, userAgent, oidc: detail.oidc === true }, currentToken);
    if (token !== null) await this.audit.add({ user_id: id, business_id, action: 'session.opened', target: `user:${id}`, detail });
    return token;
  }

  private async purge(): Promise<void> {
    await Promise.all([this.sessions.purge(), this.audit.purge(this.config.auditDays)]);
  }

  async logout({ user_id, business_id }: SessionUser, token: string): Promise<void> {
    await this.sessions.end(token);
    await this.audit.add({ user_id, business_id, action: 'session.closed', target: `user:${user_id}`, detail: {} });
  }

  private async check(email: string, account: string, { password, ip }: Credentials): Promise<StoredUser> {
    const address = addressSubject(ip);
    await this.purge();
    const limits = [
      { subject: account, limit: ACCOUNT_LIMIT },
      { subject: address, limit: this.config.loginIpLimit },
    ];
    const attempt = await this.attempts.require(limits, LIMITED);
    const users = await this.users.allByEmail(email);
    const index = await matchingHash(
      users.map(({ password_hash }) => password_hash),
      password,
    );
    const user = users[index];
    if (!user) {
      const [known] = users;
      // The account is a hash: what was typed may be a password.
      const detail = { account, network: networkOf(ip), locked: attempt.locks };
      await this.audit.add({
        user_id: known?.id ?? null,
        business_id: known?.business_id ?? null,
        action: FAILED_LOGIN,
        target: known ? `user:${known.id}` : null,
        detail,
      });
      throw wrongLogin();
    }
    await this.attempts.clearAccount(email, attempt.at);
    await this.attempts.uncount(address, attempt.at);
    return user;
  }
}

function wrongLogin(): GatewayError {
  return new GatewayError('NOT_AUTHENTICATED', 'Wrong email or password.');
}
