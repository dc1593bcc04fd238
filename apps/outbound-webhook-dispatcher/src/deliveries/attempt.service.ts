import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { USER_AGENT } from '@mgw/config';
import { Egress, type EgressCall, type EgressResult } from '@mgw/egress';
import { OutboxRelay } from '@mgw/events';
import { crashPoint } from '@mgw/faults';
import { isAboutValues } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import { counter, traced, type Logger } from '@mgw/telemetry';
import { DispatcherConfig } from '../outbound-webhook-dispatcher.config';
import { SET_ASIDE_AFTER, type Attempt, type AttemptEnd } from './attempt';
import { DeliveriesStore, type Freed } from './deliveries.store';
import { signatureHeaders } from './signature';

type Request = Pick<EgressCall, 'url' | 'headers'>;
type End = Omit<AttemptEnd, 'durationMs'>;

/** Another worker takes over a claim when this process is suspended for too long. */
export interface Claim {
  /** Waits until this process knows whether the claim holds. */
  confirm(): Promise<boolean>;
  /** Whether it holds at this moment. */
  holds(): boolean;
}

const FIRST_RECORD_DELAY_MS = 500;
const MAX_RECORD_DELAY_MS = 4_000;
/** Time of an attempt in addition to the receiver's, to connect to the database and to store its end, in milliseconds. */
const STORED_WITHIN_MS = 2_000;
const NOTHING_FREED: Freed = { held: [], continues: false, due: false, published: false };
const SET_ASIDE: End = {
  succeeded: false,
  statusCode: null,
  reason: `set aside: ${SET_ASIDE_AFTER} workers died during this delivery. Redeliver it to try again.`,
  responseBody: null,
};
const UNREADABLE_SECRET: End = {
  succeeded: false,
  statusCode: null,
  reason: 'the signing secret cannot be read: set it again',
  responseBody: null,
};
const attemptsEnded = counter('mgw_webhook_attempts_total', 'Attempts to deliver events to receivers, by outcome', ['outcome']);

/** Signs, posts and records one attempt. */
@Injectable()
export class AttemptService {
  /** Returns null for an end that was not recorded, because another transaction holds its webhook. */
  private readonly ends: Batcher<{ attempt: Attempt; end: AttemptEnd }, Freed | null>;
  private isClosed = false;

  constructor(
    private readonly deliveries: DeliveriesStore,
    relay: OutboxRelay,
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly config: DispatcherConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // One statement at a time, so that fail counts follow the order in which attempts ended.
    this.ends = new Batcher({
      businessOf: ({ attempt }) => attempt.business_id,
      sizeOf: ({ end }) => Buffer.byteLength(end.responseBody ?? ''),
      isItemError: isAboutValues,
      run: async (ends) => {
        const freed = await deliveries.finish(ends);
        if (freed.published) relay.wake();
        return ends.map((_, index) => (freed.held.includes(index) ? null : freed));
      },
    });
  }

  /** How long an attempt takes at most while the database responds, in milliseconds. */
  get longestMs(): number {
    return this.config.responseWithinMs + STORED_WITHIN_MS;
  }

  /** Closes the connections to receivers. Attempts that this cuts off are not recorded, so another worker repeats them. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.egress.close();
  }

  /** Never throws. An attempt that is cut off, or whose end cannot be recorded, is repeated. Sends nothing unless the claim holds. */
  async run(attempt: Attempt, claim: Claim): Promise<Freed> {
    try {
      crashPoint('dispatch.after-claim');
      const startedAt = performance.now();
      const end = attempt.lost_workers < SET_ASIDE_AFTER ? await this.make(attempt, claim) : this.setAside(attempt);
      if (end === null) return NOTHING_FREED;
      const freed = await this.record(attempt, { ...end, durationMs: Math.round(performance.now() - startedAt) });
      crashPoint('dispatch.after-end');
      return freed;
    } catch (error) {
      this.logger.error(
        { err: error, webhook_id: attempt.webhook_id, event_id: attempt.event_id },
        'an attempt failed unexpectedly; it is repeated',
      );
      return NOTHING_FREED;
    }
  }

  /** @returns null when nothing was sent, or the response can no longer come */
  private async make(attempt: Attempt, claim: Claim): Promise<End | null> {
    // The wait for the claim may be long, and receivers refuse an old timestamp.
    if (!(await claim.confirm())) return null;
    const request = this.requestFor(attempt);
    if (request === null) return UNREADABLE_SECRET;
    // Other deliveries store no request, because a further statement for each of them would cost too much.
    if (attempt.manual) await this.deliveries.storeRequest(attempt, request);
    return this.post(attempt, request, claim);
  }

  private setAside({ webhook_id, event_id }: Attempt): End {
    this.logger.error({ webhook_id, event_id }, 'a delivery was set aside: workers died during each attempt');
    attemptsEnded.inc({ outcome: 'set_aside' });
    return SET_ASIDE;
  }

  /** @returns null when it was cut off: the receiver is not to blame (guarantees §8) */
  private async post(attempt: Attempt, request: Request, claim: Claim): Promise<End | null> {
    const call = { ...request, body: attempt.body, timeoutMs: this.config.responseWithinMs, maySend: () => claim.holds() };
    const result = await this.trace(attempt, () => this.egress.post(call, (status) => attempt.manual || status !== 200));
    if (result.kind === 'cut_off') {
      // The claim expired while the connection opened, so nothing was sent. If no other worker took over, the attempt goes on.
      return claim.holds() ? null : this.make(attempt, claim);
    }
    crashPoint('dispatch.after-attempt');
    attemptsEnded.inc({ outcome: result.kind === 'responded' && result.status !== 200 ? 'not_200' : result.kind });
    return this.endFor(result);
  }

  /** @returns those to sign with, the current one first; null when the key ring no longer opens the current one */
  private secretsFor({ secret_sealed, old_secret_sealed, business_id, webhook_id }: Attempt): string[] | null {
    const context = `webhook.secret:${business_id}`;
    try {
      if (secret_sealed === null) return [];
      const current = this.sealer.open(secret_sealed, context);
      return old_secret_sealed === null ? [current] : [current, ...this.oldSecret(old_secret_sealed, context, webhook_id)];
    } catch (error) {
      this.logger.error({ err: error, webhook_id }, "opening a webhook's secret failed");
      return null;
    }
  }

  /** Empty when it cannot be opened: people replace such a secret, and the new one signs alone. */
  private oldSecret(sealed: string, context: string, webhook_id: string): string[] {
    try {
      return [this.sealer.open(sealed, context)];
    } catch (error) {
      this.logger.warn({ err: error, webhook_id }, "opening a webhook's replaced secret failed; only the new one signs");
      return [];
    }
  }

  /** The trace names the receiver's host only, because a path may hold a secret. */
  private trace({ url, traceparent, webhook_id }: Attempt, post: () => Promise<EgressResult>): Promise<EgressResult> {
    const attributes = { 'http.request.method': 'POST', ...serverOf(url), 'mgw.webhook_id': webhook_id };
    return traced('POST webhook', { kind: 'client', parent: traceparent, attributes }, async (span) => {
      const result = await post();
      if (result.kind !== 'responded') span.fail(result.kind);
      else {
        span.set({ 'http.response.status_code': result.status });
        if (result.status !== 200) span.fail(String(result.status));
      }
      return result;
    });
  }

  /** @returns null when the secret to sign with cannot be read */
  private requestFor(attempt: Attempt): Request | null {
    const secrets = this.secretsFor(attempt);
    if (secrets === null) return null;
    const [current, ...old] = secrets;
    const { url, body, event_id: id, seq, previous_seq } = attempt;
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      ...(seq !== null && { 'x-service-sequence': seq, 'x-service-previous': previous_seq ?? '0' }),
      ...(current !== undefined && signatureHeaders([current, ...old], { id, timestamp, body })),
    };
    return { url, headers };
  }

  /** Keeps a known result until the database responds again, because a repeated attempt would be a duplicate (guarantees §4, D2, D3). */
  private async record(attempt: Attempt, end: AttemptEnd): Promise<Freed> {
    for (let delayMs = FIRST_RECORD_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_RECORD_DELAY_MS)) {
      try {
        const freed = await this.ends.add({ attempt, end });
        if (freed !== null) return freed;
        if (this.isClosed) throw new Error('another transaction holds the webhook');
      } catch (error) {
        if (this.isClosed || isAboutValues(error)) throw error;
        this.logger.warn(
          { err: error, webhook_id: attempt.webhook_id, event_id: attempt.event_id },
          'recording an attempt failed; will retry',
        );
      }
      await pause(delayMs);
    }
  }

  /** Decision 31: only 200 is a success. */
  private endFor(result: Exclude<EgressResult, { kind: 'cut_off' }>): End {
    if (result.kind === 'responded') {
      const succeeded = result.status === 200;
      const reason = succeeded ? null : `responded ${result.status} instead of 200`;
      // PostgreSQL stores no NUL.
      return { succeeded, statusCode: result.status, reason, responseBody: result.excerpt?.replaceAll('\0', '') || null };
    }
    const reasons = {
      refused: 'the address is not allowed',
      unreachable: 'could not be reached',
      timeout: `no response within ${this.config.responseWithinMs / 1_000} seconds`,
    };
    return { succeeded: false, statusCode: null, reason: reasons[result.kind], responseBody: null };
  }
}

function serverOf(url: string): Record<string, string | number> {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'http:' ? 80 : 443) };
}
