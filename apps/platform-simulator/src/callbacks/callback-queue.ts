import { createHmac } from 'node:crypto';
import type { Logger } from '@mgw/telemetry';
import type { Account } from '../accounts/accounts';

const AT_ONCE = 16;
const MAX_QUEUED = 100_000;
const ANSWER_WITHIN_MS = 10_000;
const SLOW_MS = 1_000;
/** The platform's seven days, compressed; after the last one it gives up. */
const RETRY_AFTER_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000];

interface Callback {
  body: Buffer;
  signature: string;
  attempts: number;
  done: () => void;
}

/** Posts webhooks as the platform does: signed, again until they are answered with 200, in no promised order (platform §4.2). */
export class CallbackQueue {
  private readonly waiting: Callback[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly stop = new AbortController();
  private running = 0;

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the first attempt is over. */
  post(account: Account, payload: unknown): Promise<void> {
    const body = Buffer.from(JSON.stringify(payload));
    const signature = `sha256=${createHmac('sha256', account.app_secret).update(body).digest('hex')}`;
    return new Promise((done) => this.enqueue({ body, signature, attempts: 0, done }));
  }

  async close(): Promise<void> {
    this.stop.abort();
    for (const timer of this.timers) clearTimeout(timer);
    for (const { done } of this.waiting.splice(0)) done();
  }

  private enqueue(callback: Callback): void {
    if (this.stop.signal.aborted || this.waiting.length >= MAX_QUEUED) {
      this.logger.error({ queued: this.waiting.length }, 'a webhook was dropped');
      callback.done();
      return;
    }
    this.waiting.push(callback);
    this.next();
  }

  private next(): void {
    while (this.running < AT_ONCE && this.waiting.length > 0) {
      this.running += 1;
      void this.attempt(this.waiting.shift() as Callback).finally(() => {
        this.running -= 1;
        this.next();
      });
    }
  }

  private async attempt(callback: Callback): Promise<void> {
    const startedAt = Date.now();
    callback.attempts += 1;
    const problem = await this.call(callback);
    if (Date.now() - startedAt > SLOW_MS) this.logger.warn({ ms: Date.now() - startedAt }, 'the webhook was answered slowly');
    callback.done();
    if (problem === null || this.stop.signal.aborted) return;
    const pause = RETRY_AFTER_MS[callback.attempts - 1];
    this.logger.warn({ problem, attempts: callback.attempts, again_in_ms: pause }, 'the webhook was not taken');
    if (pause === undefined) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.enqueue(callback);
    }, pause);
    this.timers.add(timer);
  }

  private async call({ body, signature }: Callback): Promise<string | null> {
    try {
      const response = await fetch(this.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'facebookexternalua', 'x-hub-signature-256': signature },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([this.stop.signal, AbortSignal.timeout(ANSWER_WITHIN_MS)]),
      });
      await response.arrayBuffer();
      return response.status === 200 ? null : `status ${response.status}`;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
}
