import { Injectable } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { AuditStore, FAILED_LOGIN } from '../audit/audit.store';
import { GatewayConfig } from '../gateway.config';
import { networkOf } from '../http/caller';
import type { SessionUser } from '../sessions/session-user';
import { TotpService } from '../users/totp.service';
import type { StoredUser } from '../users/users.store';
import { AccountService } from './account.service';
import { LoginAttemptsStore } from '../users/login-attempts.store';
import { addressSubject } from '../users/login-subjects';

/** Maximum number of wrong codes of one person within 15 minutes, as for passwords (spec §10). */
const WRONG_CODES = 5;
const MESSAGE = 'Too many wrong codes. Wait before you try again.';

/**
 * Codes of people with two-step login. Wrong ones count per person and not per address of email: a password that is right at another
 * business must not clear the count.
 */
@Injectable()
export class SecondStep {
  constructor(
    private readonly totp: TotpService,
    private readonly account: AccountService,
    private readonly attempts: LoginAttemptsStore,
    private readonly audit: AuditStore,
    private readonly config: GatewayConfig,
  ) {}

  /**
   * Checks the code of a login whose password was right.
   * @returns how the person proved the second step, for the audit log
   * @throws GatewayError TOTP_REQUIRED without a code, NOT_AUTHENTICATED for a wrong or used one
   */
  async check({ id, business_id, totp }: StoredUser, code: string | null, ip: string): Promise<{ second_step?: string }> {
    if (!totp) return {};
    if (code === null) throw new GatewayError('TOTP_REQUIRED', 'Enter the code of your authenticator app, or a recovery code.');
    const [subject, address] = [subjectOf(id), addressSubject(ip)];
    const limits = [
      { subject, limit: WRONG_CODES },
      { subject: address, limit: this.config.loginIpLimit },
    ];
    const { at, locks } = await this.attempts.require(limits, MESSAGE);
    const second_step = await this.totp.use(id, code);
    if (second_step === null) {
      const detail = { second_step: 'wrong', network: networkOf(ip), locked: locks };
      await this.audit.add({ user_id: id, business_id, action: FAILED_LOGIN, target: `user:${id}`, detail });
      throw new GatewayError('NOT_AUTHENTICATED', 'This code is wrong or was used. Enter the next one.');
    }
    await this.attempts.clear(subject);
    await this.attempts.uncount(address, at);
    return { second_step };
  }

  async confirm(user: SessionUser, token: string, code: string): Promise<string[]> {
    const subject = subjectOf(user.user_id);
    await this.attempts.require([{ subject, limit: WRONG_CODES }], MESSAGE);
    const recoveryCodes = await this.totp.confirm(user, token, code);
    await this.attempts.clear(subject);
    return recoveryCodes;
  }

  async remove(user: SessionUser, password: string): Promise<void> {
    await this.account.requirePassword(user, 'password', password);
    await this.totp.remove(user);
  }
}

const subjectOf = (user_id: number): string => `totp:${user_id}`;
