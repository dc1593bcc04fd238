import type { ReceivedEvent } from './pending-message';

/** Pause between two attempts at an event of an ordered consumer, in milliseconds. Later events of its key wait meanwhile. */
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 2_000;

interface Lane {
  /** The failed event, during its retry. */
  retrying?: ReceivedEvent | undefined;
  /** The failed event, except during its retry, and later events of its key. */
  waiting: ReceivedEvent[];
  failures: number;
  dueAt: number;
}

/** Retries failed events of an ordered consumer. Later events of the same key wait behind them; other keys continue. */
export class RetryLanes {
  private readonly lanes = new Map<string, Lane>();

  /** Queues the event if an earlier one of its key failed. @returns whether it did */
  queueBehindFailed(received: ReceivedEvent): boolean {
    const lane = this.lanes.get(keyOf(received));
    if (lane === undefined || lane.retrying === received) return false;
    lane.waiting.push(received);
    return true;
  }

  /** Schedules the retry of a failed event. */
  fail(received: ReceivedEvent): void {
    const key = keyOf(received);
    const lane = this.lanes.get(key) ?? { waiting: [], failures: 0, dueAt: 0 };
    lane.waiting.unshift(received);
    lane.retrying = undefined;
    lane.dueAt = performance.now() + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(lane.failures, 10));
    lane.failures += 1;
    this.lanes.set(key, lane);
  }

  /** Takes an event whose retry is due. Those behind it wait until it is released or fails again. */
  takeDue(): ReceivedEvent | undefined {
    const now = performance.now();
    for (const lane of this.lanes.values()) {
      if (lane.dueAt > now) continue;
      lane.dueAt = Infinity;
      return (lane.retrying = lane.waiting.shift());
    }
    return undefined;
  }

  /** The event is handled or set aside. @returns the events that waited behind it */
  release(received: ReceivedEvent): ReceivedEvent[] {
    const key = keyOf(received);
    const { waiting = [] } = this.lanes.get(key) ?? {};
    this.lanes.delete(key);
    return waiting;
  }

  /** Milliseconds until the next retry. */
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
