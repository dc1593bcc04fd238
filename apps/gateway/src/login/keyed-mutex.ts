import { GatewayError } from '@mgw/contracts';

/** Maximum number of callers that wait for one key; further ones are refused. */
const MAX_WAITING = 20;

/** Runs work for the same key sequentially, and for different keys concurrently. */
export class KeyedMutex {
  private readonly queues = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= MAX_WAITING)
      throw new GatewayError('RATE_LIMITED', 'Too many logins of this account at once. Try again in a moment.', { retry_after_seconds: 1 });
    this.queues.set(key, queue);
    queue.waiting += 1;
    const result = queue.tail.then(work);
    queue.tail = result.catch(() => undefined);
    try {
      return await result;
    } finally {
      queue.waiting -= 1;
      if (queue.waiting === 0) this.queues.delete(key);
    }
  }
}
