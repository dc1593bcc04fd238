import { createHmac, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** `mgw_live_<id>_<256-bit secret>_<checksum>` (guarantees §9): the last two parts in base 62, so that a double click selects the whole key. */
const SHAPE = /^(mgw_live_([1-9]\d{0,9})_[0-9A-Za-z]{43})_([0-9A-Za-z]{6})$/;
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_BYTES = 32;
const SECRET_DIGITS = 43;
const CHECKSUM_DIGITS = 6;

/** A new key for this id: shown to its owner once, kept by us only as its MAC. */
export function newToken(id: number): string {
  const secret = base62(BigInt(`0x${randomBytes(SECRET_BYTES).toString('hex')}`), SECRET_DIGITS);
  const body = `mgw_live_${id}_${secret}`;
  return `${body}_${checksum(body)}`;
}

/** The id inside a well-formed key, or null. The checksum turns away typing errors and junk without asking the database. */
export function idOfToken(token: string): number | null {
  const [, body = '', id = '', check = ''] = SHAPE.exec(token) ?? [];
  return body !== '' && checksum(body) === check ? Number(id) : null;
}

/** What is stored of a key: HMAC-SHA-256 with the pepper, so that a copy of the database alone verifies no guess. */
export function tokenMac(token: string, pepper: string): Buffer {
  return createHmac('sha256', pepper).update(token).digest();
}

/** What a list shows of a key, to tell it from its siblings. */
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
