import { setTimeout as pause } from 'node:timers/promises';
import type { SendOutcome } from './outcome';

/** Budget of one request (platform §2): at most three calls, at most ten seconds between the first and the last. */
const MAX_CALLS = 3;
const RETRY_BUDGET_MS = 10_000;
const FIRST_WAIT_MS = 200;
/** A retry needs at least this much time for a response, in milliseconds. */
const MIN_CALL_MS = 1_000;

/**
 * Calls until the outcome is final. It retries only if the call certainly had no effect: nothing was written, or the platform refused for a
 * reason that may pass at once (guarantees §1, S2).
 */
export async function sendWithRetries(deadlineAt: number, call: () => Promise<SendOutcome>): Promise<SendOutcome> {
  const lastStart = Math.min(Date.now() + RETRY_BUDGET_MS, deadlineAt - MIN_CALL_MS);
  for (let calls = 1; ; calls++) {
    const outcome = await call();
    const waitMs = waitBeforeRetry(outcome, calls);
    if (waitMs === null || calls === MAX_CALLS || Date.now() + waitMs > lastStart) return outcome;
    await pause(waitMs);
  }
}

function waitBeforeRetry(outcome: SendOutcome, calls: number): number | null {
  const backoff = FIRST_WAIT_MS * 4 ** (calls - 1) * (0.75 + Math.random() / 2);
  if (outcome.kind === 'unreached') return backoff;
  if (outcome.kind !== 'refused' || outcome.refusal.retry !== 'inline') return null;
  return Math.max(backoff, (outcome.refusal.retryAfterSeconds ?? 0) * 1_000);
}
