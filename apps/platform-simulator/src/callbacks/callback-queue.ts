import { createHmac } from 'node:crypto';
import { Type, type Static } from '@sinclair/typebox';
import { abortAfter } from '@mgw/deadlines';
import type { Logger } from '@mgw/telemetry';
import type { Account } from '../accounts/accounts';
import { CallbackLog, CallbackLogState, type LoggedAttempt } from './callback-log';
import { writeJson } from './json-style';

const MAX_HELD = 100_000;
const MAX_HELD_BYTES = 256 * 1024 * 1024;
const RESPONSE_TIMEOUT_MS = 10_000;
const SLOW_MS = 1_000;
const LOGGED_RESPONSE_CHARACTERS = 1_000;
/** The platform's seven days of retries, compressed. After the last one the queue gives up. */
const RETRY_AFTER_MS = [1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000];

interface Callback {
  id: number;
  body: Buffer;
  signature: string | null;
  attempts: number;
  /** Called when the first attempt ends, or a pause holds it back. */
  done: () => void;
}

interface Delayed {
  timer: NodeJS.Timeout;
  dueAt: number;
}

export const CallbackQueueState = Type.Object({
  paused: Type.Boolean(),
  made: Type.Integer(),
  /** Callbacks without a 200 yet. */
  held: Type.Array(
    Type.Object({
      id: Type.Integer(),
      /** Base64. */
      body: Type.String(),
      signature: Type.Union([Type.String(), Type.Null()]),
      attempts: Type.Integer(),
      due_in_ms: Type.Number(),
    }),
  ),
  log: CallbackLogState,
});

/** Posts callbacks like the platform: signed, retried until a 200, in no guaranteed order (platform §4.2). */
export class CallbackQueue {
  readonly log = new CallbackLog();
  /** Grows with each callback and each attempt. */
  changes = 0;
  private waiting: Callback[] = [];
  private readonly delayed = new Map<Callback, Delayed>();
  private readonly running = new Set<Callback>();
  private readonly stop = new AbortController();
  private heldBytes = 0;
  private made = 0;
  private paused = false;

  constructor(
    private readonly url: string,
    private readonly concurrency: number,
    private readonly logger: Logger,
  ) {}

  /** Resolves when the first attempt ends, or at once during a pause or if the app is not subscribed to the account. */
  async post(account: Account, payload: unknown): Promise<void> {
    if (!account.subscribed) return;
    const body = Buffer.from(writeJson(payload, 'meta'));
    await this.postRaw(body, signatureOf(body, account.app_secret));
  }

  /** Posts exactly these bytes. @param signature null for none */
  postRaw(body: Buffer, signature: string | null): Promise<void> {
    return new Promise((done) => this.enqueue({ id: (this.made += 1), body, signature, attempts: 0, done }));
  }

  /** Posts the same bytes with the same signature again, like the platform's retries. @returns how many */
  replay(which: { ids?: number[] | undefined; last?: number | undefined; undelivered?: boolean | undefined }): number {
    const newest = new Map<number, LoggedAttempt>();
    for (const attempt of this.log.all()) {
      newest.delete(attempt.id);
      newest.set(attempt.id, attempt);
    }
    const wanted = [...newest.values()].filter(
      ({ id, problem }) => (which.ids === undefined || which.ids.includes(id)) && (!which.undelivered || problem !== null),
    );
    const chosen = which.last === undefined ? wanted : wanted.slice(-which.last);
    for (const { bytes, signature } of chosen) void this.postRaw(bytes, signature);
    return chosen.length;
  }

  /** Holds callbacks back, as in an outage of the platform. */
  pause(paused: boolean): void {
    this.paused = paused;
    if (paused) for (const { done } of this.waiting) done();
    this.next();
  }

  /** Callbacks that still wait for a 200. */
  held(): number {
    return this.waiting.length + this.delayed.size + this.running.size;
  }

  /** Drops all callbacks and the log, and ends a pause. Callbacks in flight still arrive, but are neither logged nor retried. */
  clear(): void {
    for (const { timer } of this.delayed.values()) clearTimeout(timer);
    for (const { done } of [...this.waiting, ...this.running]) done();
    this.waiting = [];
    this.delayed.clear();
    this.running.clear();
    this.heldBytes = 0;
    this.log.clear();
    this.paused = false;
  }

  /** Includes callbacks in flight, so a restore may post one twice, like the platform. @param heldBytes drops callbacks beyond it */
  state({ heldBytes = Infinity, withLog = true } = {}): Static<typeof CallbackQueueState> {
    let left = heldBytes;
    const fits = ({ body }: Callback) => (left -= body.length) >= 0;
    const now = Date.now();
    const saved = ({ id, body, signature, attempts }: Callback, dueAt = now) => ({
      id,
      body: body.toString('base64'),
      signature,
      attempts,
      due_in_ms: Math.max(0, dueAt - now),
    });
    const held = [
      ...[...this.running, ...this.waiting].filter(fits).map((callback) => saved(callback)),
      ...[...this.delayed].filter(([callback]) => fits(callback)).map(([callback, { dueAt }]) => saved(callback, dueAt)),
    ];
    return { paused: this.paused, made: this.made, held, log: withLog ? this.log.state() : [] };
  }

  restore({ paused, made, held, log }: Static<typeof CallbackQueueState>): void {
    this.clear();
    this.log.restore(log);
    this.made = made;
    this.paused = paused;
    for (const { id, body, signature, attempts, due_in_ms } of held) {
      const callback = { id, body: Buffer.from(body, 'base64'), signature, attempts, done: () => undefined };
      if (due_in_ms === 0) this.enqueue(callback);
      else if (this.hasRoom(callback)) this.delay(callback, due_in_ms);
    }
  }

  async close(): Promise<void> {
    this.stop.abort();
    this.clear();
  }

  private enqueue(callback: Callback): void {
    if (!this.hasRoom(callback)) return callback.done();
    this.changes += 1;
    this.waiting.push(callback);
    if (this.paused) callback.done();
    else this.next();
  }

  private hasRoom({ body }: Callback): boolean {
    if (this.stop.signal.aborted) return false;
    if (this.held() >= MAX_HELD || this.heldBytes + body.length > MAX_HELD_BYTES) {
      this.logger.error({ held: this.held(), bytes: this.heldBytes }, 'dropped a callback: the queue is full');
      return false;
    }
    this.heldBytes += body.length;
    return true;
  }

  private next(): void {
    while (!this.paused && this.running.size < this.concurrency && this.waiting.length > 0) {
      const callback = this.waiting.shift() as Callback;
      this.running.add(callback);
      void this.attempt(callback).finally(() => this.next());
    }
  }

  private async attempt(callback: Callback): Promise<void> {
    const startedAt = Date.now();
    const { id, body: bytes, signature } = callback;
    callback.attempts += 1;
    const result = await this.call(callback);
    this.changes += 1;
    if (!this.running.delete(callback)) return;
    const ms = Date.now() - startedAt;
    this.log.add({ id, attempt: callback.attempts, at: new Date(startedAt).toISOString(), ms, ...result, bytes, signature });
    if (ms > SLOW_MS) this.logger.warn({ ms }, 'the response to a callback was slow');
    callback.done();
    const pause = RETRY_AFTER_MS[callback.attempts - 1];
    if (result.problem !== null && !this.stop.signal.aborted)
      this.logger.warn(
        { problem: result.problem, attempts: callback.attempts, retry_in_ms: pause },
        'posting a callback failed; will retry',
      );
    if (result.problem === null || this.stop.signal.aborted || pause === undefined) this.heldBytes -= bytes.length;
    else this.delay(callback, pause);
  }

  private delay(callback: Callback, ms: number): void {
    const timer = setTimeout(() => {
      this.delayed.delete(callback);
      this.waiting.push(callback);
      this.next();
    }, ms);
    this.delayed.set(callback, { timer, dueAt: Date.now() + ms });
  }

  private async call({ body, signature }: Callback): Promise<Pick<LoggedAttempt, 'status' | 'response' | 'problem'>> {
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
        signal: abortAfter(RESPONSE_TIMEOUT_MS, this.stop.signal),
      });
      const { status } = response;
      const text = (await response.text()).slice(0, LOGGED_RESPONSE_CHARACTERS);
      return { status, response: text, problem: status === 200 ? null : `status ${status}` };
    } catch (error) {
      return { status: null, response: null, problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

/** The platform's signature (platform §4.2). */
export function signatureOf(body: Buffer, appSecret: string): string {
  return `sha256=${createHmac('sha256', appSecret).update(body).digest('hex')}`;
}
