import { Inject, Injectable } from '@nestjs/common';
import { Batcher } from '@mgw/batching';
import { Egress, type EgressCall, type EgressResult } from '@mgw/egress';
import { crashPoint } from '@mgw/faults';
import { Sealer } from '@mgw/sealing';
import { LOGGER } from '@mgw/service';
import { counter, traced, type Logger } from '@mgw/telemetry';
import { DispatcherConfig } from '../outbound-webhook-dispatcher.config';
import { DeliveriesStore, type Attempt, type AttemptEnd, type Finish } from './deliveries.store';
import { signatureHeaders } from './signature';

type Request = Pick<EgressCall, 'url' | 'headers'>;
type End = Omit<AttemptEnd, 'durationMs'>;

/** The claim of an attempt, which another worker takes over when this process stands still for too long. */
export interface Claim {
  /** Waits until it is known whether the claim holds. */
  confirm(): Promise<boolean>;
  /** Whether it holds at this moment. */
  holds(): boolean;
}

const RECORD_ATTEMPTS = 5;
const NOTHING: Finish = { freed: false, due: false };
/** A delivery that has lost this many workers is dialled no more (guarantees §10, N3). */
const LOST_AT_MOST = 3;
const SET_ASIDE: End = {
  succeeded: false,
  statusCode: null,
  reason: `set aside: ${LOST_AT_MOST} workers ended during this delivery; redeliver it to try again`,
};
const UNREADABLE: End = { succeeded: false, statusCode: null, reason: 'the signing secret cannot be read: set it again' };
const ended = counter('mgw_webhook_attempts_total', 'Attempts to deliver events to customers, by their end', ['outcome']);

/** One attempt: signed, posted once, recorded. */
@Injectable()
export class AttemptService {
  private readonly ends: Batcher<{ attempt: Attempt; end: AttemptEnd }, Finish>;

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly egress: Egress,
    private readonly sealer: Sealer,
    private readonly config: DispatcherConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // One statement at a time: the counters move in the order in which attempts ended.
    this.ends = new Batcher({
      businessOf: ({ attempt }) => attempt.business_id,
      run: async (ends) => {
        const finish = await deliveries.finish(ends);
        return ends.map(() => finish);
      },
    });
  }

  /** Ends the connections to customers' servers. Attempts that this cuts off have no end. */
  async close(): Promise<void> {
    await this.egress.close();
  }

  /**
   * Never throws. An attempt that was cut off, or whose end cannot be recorded, is made again.
   * @param claim nothing is sent once it does not hold
   */
  async run(attempt: Attempt, claim: Claim): Promise<Finish> {
    try {
      crashPoint('dispatch.after-take');
      const begun = performance.now();
      const end = attempt.lost_workers < LOST_AT_MOST ? await this.make(attempt, claim) : this.setAside(attempt);
      if (end === null) return NOTHING;
      const finish = await this.record(attempt, { ...end, durationMs: Math.round(performance.now() - begun) });
      crashPoint('dispatch.after-end');
      return finish;
    } catch (error) {
      this.logger.error({ err: error, webhook_id: attempt.webhook_id, event_id: attempt.event_id }, 'an attempt could not be made');
      return NOTHING;
    }
  }

  /** @returns null when the attempt is another worker's */
  private async make(attempt: Attempt, claim: Claim): Promise<End | null> {
    const request = this.requestOf(attempt);
    if (request === null) return UNREADABLE;
    // The log shows only the body of all others: another statement for each delivery would cost too much.
    if (attempt.by_hand) await this.deliveries.noteRequest(attempt, request);
    return (await claim.confirm()) ? this.attempt(attempt, request, claim) : null;
  }

  private setAside({ webhook_id, event_id }: Attempt): End {
    this.logger.error({ webhook_id, event_id }, 'a delivery was set aside: workers ended whenever it was attempted');
    ended.inc({ outcome: 'set_aside' });
    return SET_ASIDE;
  }

  /** @returns null when it was cut off: the receiver is not to blame (guarantees §8) */
  private async attempt(attempt: Attempt, request: Request, claim: Claim): Promise<End | null> {
    const post = () =>
      this.egress.post({ ...request, body: attempt.body, timeoutMs: this.config.answerWithinMs, maySend: () => claim.holds() });
    const result = await this.trace(attempt, post);
    if (result.kind === 'cut_off') return null;
    crashPoint('dispatch.after-attempt');
    ended.inc({ outcome: result.kind === 'answered' && result.status !== 200 ? 'not_200' : result.kind });
    return this.endOf(result);
  }

  /** @returns null when there is none, undefined when its key is no longer in the ring */
  private secretOf({ secret_sealed, business_id, webhook_id }: Attempt): string | null | undefined {
    if (secret_sealed === null) return null;
    try {
      return this.sealer.open(secret_sealed, `webhook.secret:${business_id}`);
    } catch (error) {
      this.logger.error({ err: error, webhook_id }, 'the secret of a webhook cannot be opened');
      return undefined;
    }
  }

  /** The trace names the customer's host; its path may hold a secret. */
  private trace({ url, traceparent, webhook_id }: Attempt, post: () => Promise<EgressResult>): Promise<EgressResult> {
    const attributes = { 'http.request.method': 'POST', ...serverOf(url), 'mgw.webhook_id': webhook_id };
    return traced('POST webhook', { kind: 'client', parent: traceparent, attributes }, async (span) => {
      const result = await post();
      if (result.kind !== 'answered') span.fail(result.kind);
      else {
        span.set({ 'http.response.status_code': result.status });
        if (result.status !== 200) span.fail(String(result.status));
      }
      return result;
    });
  }

  /** @returns null when the secret to sign with cannot be read */
  private requestOf(attempt: Attempt): Request | null {
    const secret = this.secretOf(attempt);
    if (secret === undefined) return null;
    const { url, body, event_id: id } = attempt;
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'messaging-gateway/1.0',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      ...(secret !== null && signatureHeaders(secret, { id, timestamp, body })),
    };
    return { url, headers };
  }

  private async record(attempt: Attempt, end: AttemptEnd): Promise<Finish> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.ends.add({ attempt, end });
      } catch (error) {
        if (tries === RECORD_ATTEMPTS) throw error;
        await new Promise((resume) => setTimeout(resume, 250 * 2 ** tries));
      }
    }
  }

  /** Product decision 31: 200 and nothing else. */
  private endOf(result: Exclude<EgressResult, { kind: 'cut_off' }>): End {
    if (result.kind === 'answered') {
      const succeeded = result.status === 200;
      return { succeeded, statusCode: result.status, reason: succeeded ? null : `answered ${result.status} instead of 200` };
    }
    const reasons = {
      refused: 'the address may not be called',
      unreachable: 'could not be reached',
      timeout: `no answer within ${this.config.answerWithinMs / 1_000} seconds`,
    };
    return { succeeded: false, statusCode: null, reason: reasons[result.kind] };
  }
}

function serverOf(url: string): Record<string, string | number> {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'http:' ? 80 : 443) };
}
