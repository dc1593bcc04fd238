import { setTimeout as pause } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { EventEnvelope } from '@mgw/contracts';
import { WorkerHeartbeat } from '@mgw/events';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import { gauge, type Logger } from '@mgw/telemetry';
import { SUSPECT_AFTER, type Attempt } from './attempt';
import { AttemptService, type Claim } from './attempt.service';
import { capacityBeside, CLAIM_BATCH, type Capacity } from './capacity';
import { DeliveriesStore, type Expansion, type StoredEvent } from './deliveries.store';
import { LanesStore } from './lanes.store';

const POLL_EVERY_MS = 250;
/** Pause after a poll that claimed nothing, unless a conversation continues: lanes that wait for capacity may wait a little longer. */
const EMPTY_PAUSE_MS = 50;
const RETRY_MS = 500;
const SKIP_EVERY_MS = 2_000;
/**
 * How long a worker with a new id waits before it releases claims of dead workers: after an outage of the database, live ones renew first.
 */
const GRACE_MS = 1_000;
const CONFIRM_EVERY_MS = 50;
/** The longest wait of a stop for attempts in progress, well within a service's 40 s. Other workers repeat the attempts that it cuts off. */
const MAX_DRAIN_MS = 25_000;

/** Claims due attempts and runs them side by side. */
@Injectable()
export class DispatchService extends BackgroundLoop {
  private readonly running = new Map<Attempt, Promise<void>>();
  /** The last statement that claims or releases attempts; see `serialize`. */
  private turn: Promise<unknown> = Promise.resolve();
  /** `due`: a lane may have a due delivery. `urgent`: claim without the pause after an empty poll. */
  private due = true;
  private urgent = false;
  private suspects = false;
  /** The business at which the last claim ended. */
  private lastBusiness = '0';
  /** The id under which this process holds claims, and when it got it. */
  private worker: string | undefined;
  private workerSince = 0;
  private cleanedAt = 0;
  private skippedAt = 0;
  private emptyAt = 0;

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly lanes: LanesStore,
    private readonly attempts: AttemptService,
    private readonly heartbeat: WorkerHeartbeat,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'claiming deliveries', logger, retryMs: RETRY_MS });
    gauge('mgw_webhook_attempts_running', 'Attempts in progress', [], () => this.running.size);
  }

  override onApplicationBootstrap(): void {
    this.heartbeat.onChange(() => this.wake());
    this.heartbeat.start();
    super.onApplicationBootstrap();
  }

  /** Stops claiming and waits for attempts in progress. Cuts off and releases the rest, which another worker repeats. */
  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    await this.turn;
    await this.drain(Math.min(this.attempts.longestMs, MAX_DRAIN_MS));
    await this.attempts.close();
    await this.drain(POLL_EVERY_MS);
    await this.releaseAll().catch((error: unknown) => this.logger.warn({ err: error }, 'releasing claims failed'));
    await this.heartbeat.stop();
  }

  /** A delivery may be due. @param urgent the next delivery of a conversation is due, or a new one that was left to `claim` may have room */
  override wake({ urgent = false } = {}): void {
    this.due = true;
    this.urgent ||= urgent;
    super.wake();
  }

  /** Stores the deliveries of events and starts those that may begin. @returns whether some of the events joined the backlog */
  async expand(events: EventEnvelope[]): Promise<boolean> {
    return this.beginExpanded((capacity, worker) => this.deliveries.expand(events, capacity, worker));
  }

  /** The same for events of the backlog. */
  async expandBacklog(events: StoredEvent[]): Promise<void> {
    await this.beginExpanded((capacity, worker) => this.deliveries.expandBacklog(events, capacity, worker));
  }

  private async beginExpanded(expand: (capacity: Capacity, worker: string | undefined) => Promise<Expansion>): Promise<boolean> {
    let hasBacklog = false;
    await this.begin(async (worker) => {
      const { claimed, backlog, due, urgent } = await expand(capacityBeside(this.running.keys()), worker);
      hasBacklog = backlog;
      if (due) this.wake({ urgent });
      return claimed;
    });
    return hasBacklog;
  }

  protected async round(): Promise<number> {
    await this.keepClaims();
    await this.cleanUp();
    // After a smaller batch nothing can begin until an attempt ends or a delivery arrives.
    if ((await this.claimDue()) < CLAIM_BATCH) await this.waitForWork();
    return 0;
  }

  private async waitForWork(): Promise<void> {
    await this.pause(POLL_EVERY_MS);
    const leftMs = this.emptyAt + EMPTY_PAUSE_MS - performance.now();
    if (!this.urgent) await this.pause(leftMs);
  }

  private async drain(withinMs: number): Promise<void> {
    await Promise.race([Promise.all(this.running.values()), pause(withinMs, undefined, { ref: false })]);
  }

  /** A suspended process resumes under a new id. It keeps the claims that no other worker took over. */
  private async keepClaims(): Promise<void> {
    const { id } = this.heartbeat;
    if (id === undefined || id === this.worker) return;
    await this.serialize(async () => {
      const former = [...this.running.keys()].filter(({ worker }) => worker === this.worker);
      const kept = new Set(former.length === 0 ? [] : await this.lanes.adopt(this.worker as string, id, idsOf(former)));
      for (const attempt of former) if (kept.has(attempt.id)) attempt.worker = id;
      this.worker = id;
      this.workerSince = performance.now();
    });
  }

  /** Releases the claims of dead workers and this worker's orphans, and skips deliveries of disabled webhooks. */
  private async cleanUp(): Promise<void> {
    const now = performance.now();
    if (now - this.cleanedAt < POLL_EVERY_MS || !this.mayClaim || now - this.workerSince < GRACE_MS) return;
    this.cleanedAt = now;
    const { due, suspects } = await this.lanes.releaseDead(this.worker as string);
    if (due) this.due = true;
    this.suspects = suspects;
    if (now - this.skippedAt < SKIP_EVERY_MS) return;
    await this.serialize(async () => {
      if (await this.releaseOrphans(this.running.keys())) this.wake();
    });
    if (!(await this.lanes.skipDisabled())) this.skippedAt = now;
  }

  /** Releases every claim: those that remain would count as lost by a dead worker. */
  private async releaseAll(): Promise<void> {
    while (await this.releaseOrphans([]));
  }

  /** @returns whether it released a batch, so there may be more */
  private async releaseOrphans(running: Iterable<Attempt>): Promise<boolean> {
    return this.worker !== undefined && (await this.lanes.releaseOrphans(this.worker, idsOf(running)));
  }

  /** @returns how many attempts were claimed, without suspects */
  private async claimDue(): Promise<number> {
    if (this.suspects && !this.hasSuspect()) {
      this.suspects = false;
      await this.begin((worker) =>
        worker === undefined || this.hasSuspect() ? Promise.resolve([]) : this.deliveries.claimSuspect(worker),
      );
    }
    if (!this.due) return 0;
    [this.due, this.urgent] = [false, false];
    const claimed = await this.begin((worker) => this.claim(worker));
    if (claimed === CLAIM_BATCH) this.due = true;
    if (claimed === 0) this.emptyAt = performance.now();
    return claimed;
  }

  private async claim(worker: string | undefined): Promise<Attempt[]> {
    const capacity = capacityBeside(this.running.keys());
    if (worker === undefined || capacity.claims === 0) return [];
    const claimed = await this.deliveries.claim(capacity, worker, this.lastBusiness);
    this.lastBusiness = claimed.length === capacity.claims ? (claimed.at(-1)?.business_id ?? '0') : '0';
    return claimed;
  }

  private hasSuspect(): boolean {
    for (const { lost_workers } of this.running.keys()) if (lost_workers >= SUSPECT_AFTER) return true;
    return false;
  }

  /** Claims attempts and starts them; a stopping process claims none. @returns how many */
  private begin(claim: (worker: string | undefined) => Promise<Attempt[]>): Promise<number> {
    return this.serialize(async () => {
      const claimed = await claim(this.mayClaim && !this.isStopping ? this.worker : undefined);
      for (const attempt of claimed) this.start(attempt);
      return claimed.length;
    });
  }

  /** Runs statements that claim or release one at a time: each must know which attempts the previous one claimed. */
  private serialize<T>(work: () => Promise<T>): Promise<T> {
    const done = this.turn.then(work);
    this.turn = done.catch(() => undefined);
    return done;
  }

  private get mayClaim(): boolean {
    return this.worker !== undefined && this.heartbeat.id === this.worker;
  }

  /** After a suspension the process does not know whether its claims hold until it has a new id. */
  private claimOf(attempt: Attempt): Claim {
    const holds = () => this.mayClaim && attempt.worker === this.worker;
    const confirm = async () => {
      while (!this.mayClaim && !this.isStopping) await pause(CONFIRM_EVERY_MS);
      return holds();
    };
    return { confirm, holds };
  }

  private start(attempt: Attempt): void {
    const ended = this.attempts.run(attempt, this.claimOf(attempt)).then(({ continues, due }) => {
      this.running.delete(attempt);
      const isSuspect = attempt.lost_workers >= SUSPECT_AFTER;
      if (isSuspect) this.suspects = true;
      if (continues || due || isSuspect) this.wake({ urgent: continues });
    });
    this.running.set(attempt, ended);
  }
}

function idsOf(attempts: Iterable<Attempt>): string[] {
  return [...attempts].map(({ id }) => id);
}
