import { createHash } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

/** Codes of one period before and after are accepted: clocks differ, and typing takes time. */
const WINDOW = 1;
const SECRET_BYTES = 20;
const RECOVERY_CODES = 10;
/** A plain hash is enough for 80 random bits. */
const RECOVERY_BYTES = 10;

const base32 = (size: number): string => new Secret({ size }).base32;

export const newSecret = (): string => base32(SECRET_BYTES);

/** @returns the address that an authenticator app reads from the QR code */
export function otpauthUrl(secret: string, issuer: string, label: string): string {
  return new TOTP({ issuer, label, secret }).toString();
}

/** @returns the number of the period to which the code belongs, or null for a wrong code */
export function stepOf(secret: string, code: string): number | null {
  // Keyboards of some languages type full-width digits.
  const token = code.normalize('NFKC').replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return null;
  const totp = new TOTP({ secret });
  const timestamp = Date.now();
  const delta = totp.validate({ token, window: WINDOW, timestamp });
  return delta === null ? null : totp.counter({ timestamp }) + delta;
}

/** @returns codes in groups of four, each of which replaces one code of the app */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => (base32(RECOVERY_BYTES).match(/.{4}/g) ?? []).join('-'));
}

/** People type codes in either case, with or without their groups. */
export function recoveryHash(code: string): Buffer {
  return createHash('sha256')
    .update(code.replace(/[^a-z2-7]/gi, '').toUpperCase())
    .digest();
}
