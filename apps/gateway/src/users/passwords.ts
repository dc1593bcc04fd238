import { timingSafeEqual } from 'node:crypto';
import { hash, type Options } from '@node-rs/argon2';
import { GatewayError } from '@mgw/contracts';

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. The library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each running verification holds 19 MiB and a thread; more callers than this are turned away instead of queued. */
const MAX_PENDING = 32;
let pending = 0;

/** @param beside a hash whose salt is used again: that of another user with the same address; null for a salt of its own */
export function hashPassword(password: string, beside: string | null = null): Promise<string> {
  return bounded(() => hash(password, beside === null ? COST : optionsOf(beside)));
}

/** A hash that no password is known for, so that an unknown user costs as much time as a known one (product §2). */
const nobody = hash('the password of nobody', COST);

/**
 * Finds the hash that the password matches. One computation serves all hashes of an address, and an unknown address costs as much, so
 * that the time says neither whether an address is known nor at how many businesses.
 * @returns its place, or -1
 */
export async function matchingHash(hashes: readonly string[], password: string): Promise<number> {
  const options = optionsOf(hashes[0] ?? (await nobody));
  const given = Buffer.from(await bounded(() => hash(password, options)));
  return hashes.findIndex((stored) => {
    const known = Buffer.from(stored);
    return known.length === given.length && timingSafeEqual(known, given);
  });
}

/** Salt and cost of `$argon2id$v=19$m=…,t=…,p=…$<salt>$<hash>`. */
function optionsOf(stored: string): Options {
  const [, memoryCost, timeCost, parallelism, salt = ''] = /\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$/.exec(stored) ?? [];
  return {
    memoryCost: Number(memoryCost),
    timeCost: Number(timeCost),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
  };
}

async function bounded<T>(work: () => Promise<T>): Promise<T> {
  if (pending >= MAX_PENDING) throw new GatewayError('OVERLOADED', 'Too many logins at once. Try again in a moment.');
  pending += 1;
  try {
    return await work();
  } finally {
    pending -= 1;
  }
}
