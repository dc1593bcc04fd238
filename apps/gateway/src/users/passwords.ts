import { timingSafeEqual } from 'node:crypto';
import { hash, type Options } from '@node-rs/argon2';
import { GatewayError } from '@mgw/contracts';

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. The library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each verification holds 19 MiB and a thread. Callers beyond this number are refused instead of queued. */
const MAX_PENDING = 32;
let pending = 0;

/** @param sibling the hash of another user with the same address, whose salt is reused; null for a new salt */
export function hashPassword(password: string, sibling: string | null = null): Promise<string> {
  return bounded(() => hash(password, sibling === null ? COST : optionsOf(sibling)));
}

/** A hash without a known password, so that an unknown user takes as long as a known one (spec §10). */
const unknownUserHash = hash('no user has this password', COST);

/**
 * Finds the hashes that the password matches. One computation serves all hashes of an address, and an unknown address takes as long.
 * So the response time reveals neither whether an address is known nor at how many businesses.
 */
export async function matchingHashes(hashes: readonly string[], password: string): Promise<Set<string>> {
  const options = optionsOf(hashes[0] ?? (await unknownUserHash));
  const computed = Buffer.from(await bounded(() => hash(password, options)));
  const matching = hashes.filter((stored) => {
    const known = Buffer.from(stored);
    return known.length === computed.length && timingSafeEqual(known, computed);
  });
  return new Set(matching);
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
