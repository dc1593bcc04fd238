import { atMost } from '@mgw/caching';
import { LRUCache } from 'lru-cache';

/** Consecutive failures that open the circuit; fewer may be bad messages. */
const FAILURES = 10;
/** How long an open circuit admits no call, in milliseconds; then one call probes. */
const OPEN_MS = 5_000;
/** Number of circuits; the least recently used one is dropped, which closes it. */
const MAX_CIRCUITS = 10_000;

interface Circuit {
  failures: number;
  /** Epoch milliseconds until which no call is admitted; 0: closed. */
  openUntil: number;
}

/**
 * Rejects calls for a number while the platform does not respond for it, so that callers need not wait and the platform recovers
 * (platform §2: per number, never for all). Any clear response closes the circuit, a refusal too.
 */
export class CircuitBreaker {
  private readonly circuits = new LRUCache<string, Circuit>(atMost(MAX_CIRCUITS));

  /** Whether a call is admitted now. After the pause the first call probes; others are rejected until it ends. */
  allows(name: string, now = Date.now()): boolean {
    const circuit = this.circuits.get(name);
    if (!circuit || circuit.openUntil === 0) return true;
    if (now < circuit.openUntil) return false;
    circuit.openUntil = now + OPEN_MS;
    return true;
  }

  /** @param isClear whether the platform responded clearly */
  note(name: string, isClear: boolean, now = Date.now()): void {
    if (isClear) {
      this.circuits.delete(name);
      return;
    }
    const failures = (this.circuits.get(name)?.failures ?? 0) + 1;
    this.circuits.set(name, { failures, openUntil: failures >= FAILURES ? now + OPEN_MS : 0 });
  }
}
