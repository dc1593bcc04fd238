import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `mgw_live_<id>_<256-bit secret>_<checksum>` (guarantees §9). Base 62 lets a double click select the whole key. */
const SHAPE = /^(mgw_live_([1-9]\d{0,9})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

/** Creates a key for this id. Its owner sees it once; the database has only its MAC. */
export function newToken(id: number): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  const body = `mgw_live_${id}_${secret}`;
  return `${body}_${checksum(body)}`;
}

/** The id inside a well-formed key, or null. The checksum refuses mistyped keys without a query. */
export function idOfToken(token: string): number | null {
  const [, body = '', id = '', check = ''] = SHAPE.exec(token) ?? [];
  return body !== '' && checksum(body) === check ? Number(id) : null;
}

/** The stored form of a key: HMAC-SHA-256 with the pepper, so that a stolen database cannot verify guesses. */
export function tokenMac(token: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(token).digest();
}

/** The start of a key, which lists show to distinguish keys. */
export function tokenPrefix(id: number): string {
  return `mgw_live_${id}_`;
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), CHECKSUM_DIGITS);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = (DIGITS[Number(rest % 62n)] as string) + text;
  return text.padStart(length, '0');
}
