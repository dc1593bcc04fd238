import { createHmac } from 'node:crypto';
import type { Logger } from '@mgw/telemetry';
import type { Account } from '../accounts/accounts';

const AT_ONCE = 16;
const MAX_QUEUED = 100_000;
const ANSWER_WITHIN_MS = 10_000;
const SLOW_MS = 1_000;
/** The platform's seven days, compressed; after the last one it gives up. */
const RETRY_AFTER_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000];

const MAX_LOG = 1_000;

/** One attempt to post a webhook. */
export interface CallbackAttempt {
  at: string;
  ms: number;
  /** Null: it was answered with 200. */
  problem: string | null;
  body: string;
}

interface Callback {
  body: Buffer;
  signature: string | null;
  attempts: number;
  done: () => void;
}

/** Posts webhooks as the platform does: signed, again until they are answered with 200, in no promised order (platform §4.2). */
export class CallbackQueue {
  private readonly waiting: Callback[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly stop = new AbortController();
  private running = 0;
  private paused = false;
  private readonly log: CallbackAttempt[] = [];

  constructor(
    private readonly url: string,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the first attempt is over. */
  post(account: Account, payload: unknown): Promise<void> {
    const body = Buffer.from(metaStyle(JSON.stringify(payload)));
    const signature = `sha256=${createHmac('sha256', account.app_secret).update(body).digest('hex')}`;
    return this.postRaw(body, signature);
  }

  /** These very bytes. @param signature null: none */
  postRaw(body: Buffer, signature: string | null): Promise<void> {
    return new Promise((done) => this.enqueue({ body, signature, attempts: 0, done }));
  }

  /** While paused webhooks wait, as in an outage of the platform's own. */
  pause(paused: boolean): void {
    this.paused = paused;
    this.next();
  }

  /** Attempts, the newest 1,000, oldest first. */
  attempts(): readonly CallbackAttempt[] {
    return this.log;
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
    while (!this.paused && this.running < AT_ONCE && this.waiting.length > 0) {
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
    this.log.push({
      at: new Date(startedAt).toISOString(),
      ms: Date.now() - startedAt,
      problem,
      body: callback.body.toString('utf8').slice(0, 10_000),
    });
    if (this.log.length > MAX_LOG) this.log.shift();
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
        headers: {
          'content-type': 'application/json',
          'user-agent': 'facebookexternalua',
          ...(signature !== null && { 'x-hub-signature-256': signature }),
        },
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

/** As Meta writes JSON: every character beyond ASCII as `\uXXXX`, every slash as `\/` (platform §4.2). */
function metaStyle(json: string): string {
  return json
    .replace(/(\\.)|\//g, (_, escaped?: string) => escaped ?? '\\/')
    .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
