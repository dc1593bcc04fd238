import { LRUCache } from 'lru-cache';

/** So many failures in a row open the circuit: several bad messages are not yet an outage. */
const FAILURES = 10;
/** How long nobody is let through; then one call tries, in milliseconds. */
const OPEN_MS = 5_000;
/** Circuits remembered; those used least are forgotten, which closes them. */
const MAX_CIRCUITS = 10_000;

interface Circuit {
  failures: number;
  /** Epoch milliseconds until which nobody is let through; 0: closed. */
  openUntil: number;
}

/**
 * Keeps calls back from a number for which the platform does not answer, so that callers wait for nothing and the platform
 * recovers (platform §2: per number, never for all). Any clear answer closes the circuit, a refusal as well as a yes.
 */
export class CircuitBreaker {
  private readonly circuits = new LRUCache<string, Circuit>({ max: MAX_CIRCUITS });

  /** Whether a call may be made now. Of those that ask after the pause the first may try; the others wait for what it finds. */
  allows(name: string, now = Date.now()): boolean {
    const circuit = this.circuits.get(name);
    if (!circuit || circuit.openUntil === 0) return true;
    if (now < circuit.openUntil) return false;
    circuit.openUntil = now + OPEN_MS;
    return true;
  }

  /** @param answered whether the platform gave a clear answer */
  note(name: string, answered: boolean, now = Date.now()): void {
    if (answered) {
      this.circuits.delete(name);
      return;
    }
    const failures = (this.circuits.get(name)?.failures ?? 0) + 1;
    this.circuits.set(name, { failures, openUntil: failures >= FAILURES ? now + OPEN_MS : 0 });
  }
}
