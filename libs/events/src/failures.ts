/** A handler throws this when a retry cannot succeed: the event goes to the dead letters at once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** Events with a count; beyond this the oldest count is dropped. */
const MAX_COUNTED = 10_000;

/** Counts the failures of each event. JetStream's count of deliveries also includes outages and stops. */
export class FailureCounts {
  private readonly counts = new Map<string, number>();

  /** @returns the new count */
  add(id: string, failures: number): number {
    const count = (this.counts.get(id) ?? 0) + failures;
    // Deleting moves the key to the end of the order.
    this.counts.delete(id);
    this.counts.set(id, count);
    const [oldest] = this.counts.keys();
    if (this.counts.size > MAX_COUNTED && oldest !== undefined) this.counts.delete(oldest);
    return count;
  }

  remove(id: string): void {
    this.counts.delete(id);
  }
}
