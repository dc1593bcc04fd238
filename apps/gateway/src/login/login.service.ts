import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { AuditStore, FAILED_LOGIN } from '../audit/audit.store';
import { GatewayConfig } from '../gateway.config';
import { networkOf } from '../http/caller';
import type { SessionUser } from '../sessions/session-user';
import { SessionsStore } from '../sessions/sessions.store';
import { matchingHashes } from '../users/passwords';
import { normalizeEmail, UsersStore, type Account, type StoredUser } from '../users/users.store';
import { KeyedMutex } from './keyed-mutex';
import { LoginAttemptsStore } from '../users/login-attempts.store';
import type { LoginOrigin } from './login-origin';
import { accountSubject, addressSubject, guessSubject, hashHolder } from '../users/login-subjects';
import { OidcFailure } from './oidc.service';
import { SecondStep } from './second-step.service';

/** Maximum number of wrong passwords of one account within 15 minutes (spec §10). LOGIN_IP_LIMIT is the limit of an address. */
const ACCOUNT_LIMIT = 5;
/** Maximum number of logins within 15 minutes whose password is wrong, but right for another account of the address (decision 718). */
const GUESS_LIMIT = 20;
const LIMITED = 'Too many wrong logins. Wait before you try again.';

interface Credentials extends LoginOrigin {
  email: string;
  password: string;
  /** The account to log in to; null if the address and the password have only one. */
  userId: number | null;
  /** Null without two-step login. */
  code: string | null;
}

/** A login for the audit log of an account's business. */
interface WrongLogin {
  /** A hash: what was typed may be a password. */
  account: string;
  ip: string;
  /** Whether the next login is refused. */
  locked: boolean;
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

  /**
   * @throws GatewayError NOT_AUTHENTICATED for a wrong password and for an unknown user alike, RATE_LIMITED even for the right password,
   * ACCOUNT_REQUIRED if the password is right for several accounts
   */
  async login(credentials: Credentials): Promise<{ token: string; user: StoredUser }> {
    const email = normalizeEmail(credentials.email);
    const account = accountSubject(email);
    const right = await this.accounts.runExclusive(account, () => this.check(email, account, credentials));
    const user = chosen(right, credentials.userId);
    const detail = await this.secondStep.check(user, credentials.code, credentials.ip);
    const token = await this.open(user, credentials, detail);
    if (token === null) throw wrongLogin();
    return { token, user };
  }

  /**
   * Logs in the person whose address the OIDC provider has verified.
   * @param verify talks to the provider, and throws if it refuses
   * @returns the address, and the session's token; no token if the person has to choose one of several accounts
   * @throws OidcFailure for an address that nobody has
   */
  async loginVerified(origin: LoginOrigin, verify: () => Promise<string>): Promise<{ email: string; token: string | null }> {
    const address = addressSubject(origin.ip);
    const { at } = await this.attempts.require([{ subject: address, limit: this.config.loginIpLimit }], LIMITED);
    await this.purge();
    const email = normalizeEmail(await verify());
    const [user, ...others] = await this.users.allByEmail(email);
    const token = user && others.length === 0 ? await this.open(user, origin, { oidc: true }) : null;
    if (token === null && others.length === 0) {
      const detail = { account: accountSubject(email), network: networkOf(origin.ip), oidc: true };
      await this.audit.add({ user_id: null, business_id: null, action: FAILED_LOGIN, target: null, detail });
      throw new OidcFailure('unknown');
    }
    await this.attempts.uncount(address, at);
    return { email, token };
  }

  /** Logs in to one of the accounts of an address that the OIDC provider has verified. @throws GatewayError ACCOUNT_REQUIRED without a choice */
  async loginChosen(email: string, userId: number | null, origin: LoginOrigin): Promise<{ token: string; user: StoredUser }> {
    const user = chosen(await this.users.allByEmail(email), userId);
    const token = await this.open(user, origin, { oidc: true });
    if (token === null) throw wrongLogin();
    return { token, user };
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

  /**
   * A login that names its account has the limit of wrong passwords only, so that guesses at an account do not keep its person out.
   * @returns the accounts for which the password is right, except those that are over their limit of guesses
   */
  private async check(email: string, account: string, { password, ip, userId }: Credentials): Promise<Account[]> {
    const address = addressSubject(ip);
    const limits = [
      { subject: account, limit: ACCOUNT_LIMIT },
      { subject: address, limit: this.config.loginIpLimit },
    ];
    const attempt = await this.attempts.require(limits, LIMITED);
    await this.purge();
    const users = await this.users.allByEmail(email);
    const named = userId === null ? users : users.filter(({ id }) => id === userId);
    const guesses = userId === null && (await this.attempts.takeOpen(users.map(guessSubject), GUESS_LIMIT, attempt.at));
    const open = guesses ? users.filter((user) => guesses.has(guessSubject(user))) : named;
    const isFull = (user: Account) => guesses && guesses.get(guessSubject(user)) !== false;
    const counted = [account, address, ...(guesses ? guesses.keys() : [])];
    const stored = open.map(({ password_hash }) => password_hash);
    const hashes = await this.attempts.uncountIfRefused(counted, attempt.at, () => matchingHashes(stored, password, hashHolder(ip)));
    const right = open.filter(({ password_hash }) => hashes.has(password_hash));
    const wrong = { account, ip };
    if (right.length === 0) {
      const known = named.length > 0 ? named : users;
      if (known.length === 0) await this.auditWrong(null, { ...wrong, locked: attempt.locks });
      // At once, so that the time does not show how many there are.
      await Promise.all(known.map((user) => this.auditWrong(user, { ...wrong, locked: attempt.locks || isFull(user) })));
      throw wrongLogin();
    }
    await this.attempts.clearAccount(email, attempt.at);
    await this.attempts.uncount(address, attempt.at);
    for (const user of right) await this.attempts.clear(guessSubject(user));
    // A person may make such logins every day, so the log of this account's business has only the one that reaches the limit.
    for (const user of open) if (!right.includes(user) && isFull(user)) await this.auditWrong(user, { ...wrong, locked: true });
    return right;
  }

  /** @param user null if nobody has the address */
  private auditWrong(user: Account | null, { account, ip, locked }: WrongLogin): Promise<void> {
    return this.audit.add({
      user_id: user?.id ?? null,
      business_id: user?.business_id ?? null,
      action: FAILED_LOGIN,
      target: user && `user:${user.id}`,
      detail: { account, network: networkOf(ip), locked },
    });
  }
}

/** Anybody may invite an address, so neither the password nor the OIDC provider decides which account the person wants (decision 709). */
function chosen(accounts: Account[], userId: number | null): Account {
  const [account, ...others] = userId === null ? accounts : accounts.filter(({ id }) => id === userId);
  if (!account) throw wrongLogin();
  if (others.length === 0) return account;
  throw new GatewayError('ACCOUNT_REQUIRED', 'Choose one of your accounts.', {
    accounts: accounts.map(({ id, business, role }) => ({ user_id: id, business, role })),
  });
}

function wrongLogin(): GatewayError {
  return new GatewayError('NOT_AUTHENTICATED', 'Wrong email or password.');
}
