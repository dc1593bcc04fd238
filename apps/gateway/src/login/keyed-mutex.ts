import { GatewayError } from '@mgw/contracts';

/** Callers beyond this many for one key are turned away. */
const MAX_WAITING = 20;

/** Work for the same key runs one after another, for different keys side by side. */
export class KeyedMutex {
  private readonly queues = new Map<string, { tail: Promise<unknown>; waiting: number }>();

  async runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? { tail: Promise.resolve(), waiting: 0 };
    if (queue.waiting >= MAX_WAITING)
      throw new GatewayError('OVERLOADED', 'Too many requests of this kind at once. Try again in a moment.');
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
