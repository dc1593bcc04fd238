import type { ReceivedEvent } from './pending-message';

/** Between two attempts at an event of an ordered consumer, in milliseconds: later events of its key wait as long. */
const FIRST_DELAY_MS = 100;
const MOST_DELAY_MS = 2_000;

interface Lane {
  /** The one that failed, while it is tried again. */
  retrying?: ReceivedEvent | undefined;
  /** The one that failed, unless it is tried again now, and later ones of its key. */
  waiting: ReceivedEvent[];
  failures: number;
  dueAt: number;
}

/** Events of an ordered consumer that failed and are tried again, each with the later events of its key. Other keys go on. */
export class RetryLanes {
  private readonly lanes = new Map<string, Lane>();

  /** @returns whether an earlier event of its key waits: then this one waits behind it */
  queueBehindFailed(received: ReceivedEvent): boolean {
    const lane = this.lanes.get(keyOf(received));
    if (lane === undefined || lane.retrying === received) return false;
    lane.waiting.push(received);
    return true;
  }

  /** The event failed and is due again later; later ones of its key wait for it. */
  fail(received: ReceivedEvent): void {
    const key = keyOf(received);
    const lane = this.lanes.get(key) ?? { waiting: [], failures: 0, dueAt: 0 };
    lane.waiting.unshift(received);
    lane.retrying = undefined;
    lane.dueAt = performance.now() + Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(lane.failures, 10));
    lane.failures += 1;
    this.lanes.set(key, lane);
  }

  /** Takes an event that is due. Those behind it wait until it is released or fails again. */
  takeDue(): ReceivedEvent | undefined {
    const now = performance.now();
    for (const lane of this.lanes.values()) {
      if (lane.dueAt > now) continue;
      lane.dueAt = Infinity;
      return (lane.retrying = lane.waiting.shift());
    }
    return undefined;
  }

  /** The event is done with. @returns those that waited behind it */
  release(received: ReceivedEvent): ReceivedEvent[] {
    const key = keyOf(received);
    const { waiting = [] } = this.lanes.get(key) ?? {};
    this.lanes.delete(key);
    return waiting;
  }

  /** Milliseconds until an event is due. */
  get dueInMs(): number {
    return Math.min(...[...this.lanes.values()].map(({ dueAt }) => dueAt)) - performance.now();
  }

  clear(): void {
    this.lanes.clear();
  }
}

function keyOf({ read }: ReceivedEvent): string {
  return 'event' in read ? read.event.key : '';
}
