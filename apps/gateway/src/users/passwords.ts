import { timingSafeEqual } from 'node:crypto';
import { hash, type Options } from '@node-rs/argon2';
import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. The library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * Each computation holds 19 MiB and a thread, so few are begun at once. A login waits for its turn; a person or a network has a share of the
 * places and of the room for waiting (guarantees N2).
 */
const computations = new Shares({ places: 32, largest: 1 / 2, waiting: { room: 128, largest: 1 / 4 } });
/** Transactions that compute a hash hold a connection of the database meanwhile: one of a holder, and never all connections (guarantees N2). */
const transactions = new Shares({ places: 4, largest: 1 / 4, waiting: { room: 128, largest: 1 / 4 } });
const TRANSACTION_WITHIN_MS = 8_000;
const TURN_WITHIN_MS = 2_000;
const RETRY_AFTER_SECONDS = 2;

/**
 * @param holder the person or the network that calls
 * @param sibling the hash of another user with the same address, whose salt is reused; null for a new salt
 */
export function hashPassword(password: string, holder: string, sibling: string | null = null): Promise<string> {
  // Callers hold a transaction, so they do not wait.
  return inTurn(computations, holder, 0, () => hash(password, sibling === null ? COST : optionsOf(sibling)));
}

/** A hash without a known password, so that an unknown user takes as long as a known one (spec §10). */
const unknownUserHash = hash('no user has this password', COST);

/**
 * Finds the hashes that the password matches. One computation serves all hashes of an address, and an unknown address takes as long.
 * So the response time reveals neither whether an address is known nor at how many businesses.
 * @param holder the person or the network that calls
 */
export async function matchingHashes(hashes: readonly string[], password: string, holder: string): Promise<Set<string>> {
  const options = optionsOf(hashes[0] ?? (await unknownUserHash));
  const computed = Buffer.from(await inTurn(computations, holder, TURN_WITHIN_MS, () => hash(password, options)));
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

/**
 * Runs a transaction that calls `hashPassword`.
 * @param holder the business or the network that calls
 * @throws GatewayError RATE_LIMITED
 */
export function hashingTransaction<T>(holder: string, transaction: () => Promise<T>): Promise<T> {
  return inTurn(transactions, holder, TRANSACTION_WITHIN_MS, transaction, 'Too many people or passwords are added at once.');
}

/** @throws GatewayError RATE_LIMITED */
async function inTurn<T>(
  places: Shares,
  holder: string,
  withinMs: number,
  work: () => Promise<T>,
  refusal = 'Too many passwords are being checked at once.',
): Promise<T> {
  const release = await places.take(holder, withinMs);
  if (release === null)
    throw new GatewayError('RATE_LIMITED', `${refusal} Try again in a moment.`, { retry_after_seconds: RETRY_AFTER_SECONDS });
  try {
    return await work();
  } finally {
    release();
  }
}
