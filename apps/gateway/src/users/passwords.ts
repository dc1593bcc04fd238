import { hash, verify } from '@node-rs/argon2';
import { GatewayError } from '@mgw/contracts';

/** OWASP's second recommendation for argon2id: 19 MiB, two passes, one lane. The library's default algorithm is argon2id. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Each running verification holds 19 MiB and a thread; more callers than this are turned away instead of queued. */
const MAX_PENDING = 32;
let pending = 0;

export function hashPassword(password: string): Promise<string> {
  return bounded(() => hash(password, COST));
}

/** A hash that no password is known for, so that an unknown user costs as much time as a known one (product §2). */
const nobody = hash('the password of nobody', COST);

/** Whether the password is the user's; `stored` is null when there is no such user, and the answer takes as long. */
export async function passwordMatches(stored: string | null, password: string): Promise<boolean> {
  const against = stored ?? (await nobody);
  const matched = await bounded(() => verify(against, password));
  return matched && stored !== null;
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
