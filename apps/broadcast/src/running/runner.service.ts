import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { BroadcastConfig } from '../broadcast.config';
import { RecipientSender } from './recipient-sender.service';
import { RecipientsStore, type EndedAttempt } from './recipients.store';
import { RunsStore, type RunningBroadcast } from './runs.store';

/** Broadcasts that one process runs at once. */
const MAX_RUNNING = 16;
/** A broadcast may run this long while others wait, in milliseconds. */
const TIME_SLICE_MS = 5_000;
const POLL_MS = 1_000;
/** A tick starts about this many sends: more at once delay other sends, fewer cost more transactions. */
const SENDS_A_TICK = 10;
/** Bounds of a tick, in milliseconds. A tick renews the lease, and records the sends that have ended since the previous one. */
const MIN_TICK_MS = 20;
const MAX_TICK_MS = 250;
/** Sends in flight for each message a second: enough if WhatsApp responds within 200 ms, with the work around it. */
const IN_FLIGHT_PER_MESSAGE = 0.2;
/**
 * Bounds of the sends of one broadcast that may be in flight. The upper one is three quarters of the calls to WhatsApp that one number may
 * make at once (decision 126), so live sends of the same number find a place.
 */
const MIN_IN_FLIGHT = 64;
const MAX_IN_FLIGHT = 192;

interface Run {
  since: number;
  /** Its time slice is over: it starts no more sends and no longer counts as active. */
  isYielding: boolean;
  ended: Promise<void>;
}

/** Runs broadcasts in time slices, each at an even pace. Another process takes over the broadcasts of one that died. */
@Injectable()
export class RunnerService extends BackgroundLoop {
  private readonly running = new Set<Run>();

  constructor(
    private readonly runs: RunsStore,
    private readonly recipients: RecipientsStore,
    private readonly sender: RecipientSender,
    private readonly relay: OutboxRelay,
    private readonly config: BroadcastConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'claiming a broadcast', logger, retryMs: POLL_MS });
  }

  override onApplicationBootstrap(): void {
    this.relay.start();
    super.onApplicationBootstrap();
  }

  /** Starts no more sends and waits for those in flight. */
  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await Promise.all([...this.running].map(({ ended }) => ended));
    await this.relay.stop();
  }

  protected async round(): Promise<number> {
    const broadcast = (await this.hasRoom()) ? await this.runs.claim() : null;
    if (!broadcast) return POLL_MS;
    this.begin(broadcast);
    return 0;
  }

  /** If another broadcast waits, ends the run whose time slice is over. */
  private async hasRoom(): Promise<boolean> {
    const active = [...this.running].filter(({ isYielding }) => !isYielding);
    if (active.length < MAX_RUNNING) return true;
    const longest = active.reduce((one, other) => (other.since < one.since ? other : one));
    if (Date.now() - longest.since < TIME_SLICE_MS || !(await this.runs.isAnyWaiting())) return false;
    longest.isYielding = true;
    return true;
  }

  private begin(broadcast: RunningBroadcast): void {
    const run: Run = { since: Date.now(), isYielding: false, ended: Promise.resolve() };
    this.running.add(run);
    run.ended = this.run(broadcast, run)
      .catch((error: unknown) => this.logger.warn({ err: error, broadcast_id: broadcast.id }, 'a broadcast was interrupted; will resume'))
      .finally(() => {
        this.running.delete(run);
        this.wake();
      });
  }

  /** Sends at an even pace: each tick adds what `perSecond` allows in the time since the previous one. */
  private async run(claimed: RunningBroadcast, run: Run): Promise<void> {
    const { perSecond } = this.config;
    const tickMs = Math.min(MAX_TICK_MS, Math.max(MIN_TICK_MS, (SENDS_A_TICK * 1_000) / perSecond));
    const mostInFlight = Math.min(MAX_IN_FLIGHT, Math.max(MIN_IN_FLIGHT, Math.floor(perSecond * IN_FLIGHT_PER_MESSAGE)));
    const broadcast = { ...claimed };
    const inFlight = new Set<Promise<void>>();
    const ended: EndedAttempt[] = [];
    let allowance = 0;
    let countedUntil = performance.now() - tickMs;
    try {
      while (!this.isStopping) {
        const tick = pause(tickMs);
        // A cause that pauses the broadcast takes effect before the next claim.
        await this.record(ended.splice(0));
        const now = performance.now();
        allowance = Math.min(perSecond, allowance + (perSecond * (now - countedUntil)) / 1_000);
        countedUntil = now;
        const room = run.isYielding ? 0 : Math.min(Math.floor(allowance), mostInFlight - inFlight.size);
        const claimedAt = Date.now();
        const isIdle = inFlight.size === 0 && ended.length === 0;
        const { lease, due } = await this.recipients.claim(broadcast, Math.max(0, room), isIdle);
        broadcast.lease = lease;
        // After a pause or a cancellation this process keeps the broadcast until its sends in flight have ended.
        if ((due === null || run.isYielding) && inFlight.size === 0) break;
        allowance -= due?.length ?? 0;
        for (const recipient of due ?? []) {
          const sent = this.sender.send(broadcast, recipient, claimedAt).then((end) => {
            inFlight.delete(sent);
            ended.push(end);
          });
          inFlight.add(sent);
        }
        if (due?.length === 0 && isIdle && (await this.end(broadcast))) return;
        await tick;
      }
    } finally {
      await Promise.all(inFlight);
      await this.record(ended);
    }
    if (run.isYielding) await this.runs.endSlice(broadcast);
    else await this.runs.release(broadcast);
  }

  /** Never throws: if recording outcomes fails, the send service is queried once their attempts have timed out. */
  private async record(ended: EndedAttempt[]): Promise<void> {
    if (ended.length === 0) return;
    await this.recipients
      .recordAttempts(ended)
      .catch((error: unknown) =>
        this.logger.warn({ err: error, broadcast_id: ended[0]?.broadcastId }, 'recording sends failed; will query them'),
      );
  }

  /** Completes a broadcast that has nothing due and nothing in flight, or lets it wait until something is due. @returns whether it did either */
  private async end(broadcast: RunningBroadcast): Promise<boolean> {
    if (!(await this.runs.complete(broadcast.id))) return this.runs.waitUntilDue(broadcast);
    this.relay.wake();
    return true;
  }
}
