import { Injectable } from '@nestjs/common';
import { GatewayError, notFound } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { AuditStore } from '../audit/audit.store';
import { GatewayConfig } from '../gateway.config';
import { invalid } from '../requests/refusals';
import type { SessionUser } from '../sessions/session-user';
import { SessionsStore } from '../sessions/sessions.store';
import { TotpStore } from './totp.store';
import { UsersService } from './users.service';
import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Codes of one period before and after are accepted: clocks differ, and typing takes time. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** A plain hash is enough for 80 random bits. */
const RECOVERY_BYTES = 10;

const base32 = (size: number): string => new Secret({ size }).base32;

const newSecret = (): string => base32(SECRET_BYTES);

/** @returns the address that an authenticator app reads from the QR code */
function otpauthUrl(secret: string, issuer: string, label: string): string {
  return new TOTP({ issuer, label, secret }).toString();
}

/** @returns the number of the period to which the code belongs, or null for a wrong code */
function stepOf(secret: string, code: string): number | null {
  // Keyboards of some languages type full-width digits.
  const token = code.normalize('NFKC').replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return null;
  const totp = new TOTP({ secret });
  const timestamp = Date.now();
  const delta = totp.validate({ token, window: WINDOW, timestamp });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** @returns codes in groups of four, each of which replaces one code of the app */
function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => (base32(RECOVERY_BYTES).match(/.{4}/g) ?? []).join('-'));
}

/** People type codes in either case, with or without their groups. */
function recoveryHash(code: string): Buffer {
  return createHash('sha256')
    .update(code.replace(/[^a-z2-7]/gi, '').toUpperCase())
    .digest();
}

const contextOf = (user_id: number): string => `totp.secret:${user_id}`;

/** Two-step login: codes of an authenticator app, and recovery codes for the day on which it is lost (decision 372). */
@Injectable()
export class TotpService {
  constructor(
    private readonly db: Database,
    private readonly totp: TotpStore,
    private readonly users: UsersService,
    private readonly sessions: SessionsStore,
    private readonly sealer: Sealer,
    private readonly audit: AuditStore,
    private readonly config: GatewayConfig,
  ) {}

  async stateOf({ user_id, totp: enabled, totp_required: required }: SessionUser) {
    return { enabled, required, recovery_codes_left: enabled ? await this.totp.recoveryCodesLeft(user_id) : 0 };
  }

  /** Makes a secret, which works once a code of it has confirmed that the app has it. */
  async begin({ user_id, business_id, email }: SessionUser): Promise<{ secret: string; otpauth_url: string }> {
    const secret = newSecret();
    await this.db.transaction(async (tx) => {
      if (!(await this.totp.begin(tx, user_id, this.sealer.seal(secret, contextOf(user_id)))))
        throw new GatewayError('CONFLICT', 'Two-step login is on already. Turn it off first.');
      await this.audit.add({ user_id, business_id, action: 'totp.begun', target: `user:${user_id}`, detail: {} }, tx);
    });
    return { secret, otpauth_url: otpauthUrl(secret, new URL(this.config.publicUrl).hostname, email) };
  }

  /** Ends all other sessions, because they were opened without a code. @param token of the current session, which stays */
  async confirm({ user_id, business_id }: SessionUser, token: string, code: string): Promise<string[]> {
    const sealed = await this.totp.secretOf(user_id, false);
    if (sealed === null) throw new GatewayError('CONFLICT', 'Request a secret first, or turn two-step login off.');
    const secret = this.sealer.openOrNull(sealed, contextOf(user_id));
    if (secret === null) throw new GatewayError('CONFLICT', 'The secret cannot be read. Request a new one.');
    const step = stepOf(secret, code);
    if (step === null) throw invalid('code', 'is wrong. Check that the clock of your device is right.');
    const codes = newRecoveryCodes();
    await this.db.transaction(async (tx) => {
      if (!(await this.totp.enable(tx, user_id, sealed, step, codes.map(recoveryHash))))
        throw new GatewayError('CONFLICT', 'The secret was replaced. Begin again.');
      await this.sessions.endAll(tx, user_id, token);
      await this.audit.add({ user_id, business_id, action: 'totp.enabled', target: `user:${user_id}`, detail: {} }, tx);
    });
    return codes;
  }

  /** Uses up a code of the app or a recovery code. @returns which of them it was; null for a wrong or used one */
  async use(user_id: number, code: string): Promise<'code' | 'recovery_code' | null> {
    const sealed = await this.totp.secretOf(user_id, true);
    if (sealed === null) return null;
    // Recovery codes work even if the secret is damaged.
    const secret = this.sealer.openOrNull(sealed, contextOf(user_id));
    const step = secret === null ? null : stepOf(secret, code);
    if (step !== null) return (await this.totp.useStep(user_id, step)) ? 'code' : null;
    return (await this.totp.useRecoveryCode(user_id, recoveryHash(code))) ? 'recovery_code' : null;
  }

  /** Turns a person's own two-step login off. */
  async remove({ user_id, business_id }: SessionUser): Promise<void> {
    await this.db.transaction(async (tx) => {
      if (!(await this.totp.remove(tx, user_id))) throw new GatewayError('CONFLICT', 'Two-step login is off already.');
      await this.audit.add({ user_id, business_id, action: 'totp.removed', target: `user:${user_id}`, detail: {} }, tx);
    });
  }

  /** Turns it off for somebody who lost app and recovery codes, and ends their sessions. */
  async removeFor(by: SessionUser, id: number): Promise<void> {
    await this.db.transaction(async (tx) => {
      const { business_id, email } = await this.users.requireOther(tx, by, id);
      if (!(await this.totp.remove(tx, id))) throw notFound();
      await this.sessions.endAll(tx, id, null);
      await this.audit.add({ user_id: by.user_id, business_id, action: 'totp.removed', target: `user:${id}`, detail: { email } }, tx);
    });
  }
}
