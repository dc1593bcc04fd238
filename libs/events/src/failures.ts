/** Throw this from a handler when trying again cannot help: the event goes to the dead letters at once. */
export class PermanentFailure extends Error {
  override readonly name = 'PermanentFailure';
}

/** Events whose failures are counted; beyond this the oldest count begins again. */
const MOST_COUNTED = 10_000;

/** How often each event failed by itself. JetStream's count of deliveries includes outages and stops. */
export class FailureCounts {
  private readonly counts = new Map<string, number>();

  /** @returns the count with these */
  add(id: string, failures: number): number {
    const count = (this.counts.get(id) ?? 0) + failures;
    // Moves to the end of the order.
    this.counts.delete(id);
    this.counts.set(id, count);
    const [oldest] = this.counts.keys();
    if (this.counts.size > MOST_COUNTED && oldest !== undefined) this.counts.delete(oldest);
    return count;
  }

  remove(id: string): void {
    this.counts.delete(id);
  }
}
