import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { EventEnvelope } from '@mgw/contracts';
import { Signal, WorkerHeartbeat } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import { gauge, type Logger } from '@mgw/telemetry';
import { AttemptService, type Claim } from './attempt.service';
import { DeliveriesStore, SUSPECT_FROM, type Attempt } from './deliveries.store';
import { LanesStore } from './lanes.store';
import { AT_ONCE, roomBeside, type Room } from './shares';

const LOOK_EVERY_MS = 250;
/** After a look that found nothing, unless a conversation goes on: what waits for room may wait a moment. */
const FRUITLESS_MS = 50;
const SKIP_EVERY_MS = 2_000;
/** After this worker came or came back, until it judges others: after an outage of the database they keep their claims as it keeps its own. */
const GRACE_MS = 1_000;
const HOLDS_EVERY_MS = 50;
/** While the process stops, well within the 8 s that a service has; what takes longer is made again. */
const DRAIN_MS = 4_000;

/** Claims due attempts and runs them side by side. */
@Injectable()
export class DispatchService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly running = new Map<Attempt, Promise<void>>();
  /** Statements that claim attempts follow each other: each must know what the one before has claimed. */
  private turn: Promise<unknown> = Promise.resolve();
  /** Whether a lane may be due, and whether one is that continues a conversation. */
  private due = true;
  private urgent = false;
  private suspects = false;
  private after = '0';
  /** The worker that holds the claims, and since when. */
  private worker: string | undefined;
  private workerSince = 0;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();
  private tidiedAt = 0;
  private skippedAt = 0;
  private fruitlessAt = 0;

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly lanes: LanesStore,
    private readonly attempts: AttemptService,
    private readonly heartbeat: WorkerHeartbeat,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    gauge('mgw_webhook_attempts_running', 'Attempts under way', [], () => this.running.size);
  }

  onApplicationBootstrap(): void {
    this.heartbeat.onChange(() => this.nudge());
    this.heartbeat.start();
    this.ended = this.run();
  }

  /** Claims no more and waits a while for what runs; the rest is cut off, released, and made again by another worker. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
    await this.turn;
    await Promise.race([Promise.all(this.running.values()), new Promise((resume) => setTimeout(resume, DRAIN_MS).unref())]);
    await this.attempts.close();
    await Promise.race([Promise.all(this.running.values()), new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS).unref())]);
    const { worker } = this;
    if (worker !== undefined)
      await this.lanes.releaseOrphans(worker, []).catch((error: unknown) => this.warn(error, 'releasing claims failed'));
    await this.heartbeat.stop();
  }

  /** Reports a delivery that may be due. */
  nudge({ urgent = false } = {}): void {
    this.due = true;
    this.urgent ||= urgent;
    this.signal.notify();
  }

  /** Stores what events mean for webhooks, and begins at once what nothing holds up. */
  async expand(events: EventEnvelope[]): Promise<void> {
    await this.begin(async (worker) => {
      const { claimed, due } = await this.deliveries.expand(events, this.room(), worker);
      if (due) this.nudge();
      return claimed;
    });
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.keepClaims();
        await this.tidy();
        // A look that claimed less than it might has left nothing that could begin before something ends or comes.
        if ((await this.claimSome()) < AT_ONCE) await this.rest();
      } catch (error) {
        this.warn(error, 'claiming deliveries failed; they stay stored');
        await this.signal.wait(500);
      }
    }
  }

  private async rest(): Promise<void> {
    await this.signal.wait(LOOK_EVERY_MS);
    const leftMs = this.fruitlessAt + FRUITLESS_MS - performance.now();
    if (leftMs > 0 && !this.urgent && !this.stopped) await this.signal.wait(leftMs);
  }

  /** A worker that stood still continues under a new id. It keeps the claims that nobody took over. */
  private async keepClaims(): Promise<void> {
    const { id } = this.heartbeat;
    if (id === undefined || id === this.worker) return;
    const kept = this.turn.then(async () => {
      const former = [...this.running.keys()].filter(({ worker }) => worker === this.worker);
      const ids = new Set(former.length === 0 ? [] : await this.lanes.adopt(this.worker as string, id, idsOf(former)));
      for (const attempt of former) if (ids.has(attempt.id)) attempt.worker = id;
      this.worker = id;
      this.workerSince = performance.now();
    });
    this.turn = kept.catch(() => undefined);
    await kept;
  }

  private async tidy(): Promise<void> {
    const now = performance.now();
    if (now - this.tidiedAt < LOOK_EVERY_MS || !this.mayClaim || now - this.workerSince < GRACE_MS) return;
    this.tidiedAt = now;
    const { due, suspects } = await this.lanes.releaseDead();
    if (due) this.due = true;
    this.suspects = suspects;
    if (now - this.skippedAt < SKIP_EVERY_MS) return;
    const orphans = this.turn.then(() => this.releaseOrphans());
    this.turn = orphans.catch(() => undefined);
    await orphans;
    if (!(await this.lanes.skipDisabled())) this.skippedAt = now;
  }

  private async releaseOrphans(): Promise<void> {
    const { worker } = this;
    if (worker !== undefined && (await this.lanes.releaseOrphans(worker, idsOf(this.running.keys())))) this.nudge();
  }

  private async claimSome(): Promise<number> {
    if (this.suspects && !this.hasSuspect()) {
      this.suspects = false;
      await this.begin((worker) =>
        worker === undefined || this.hasSuspect() ? Promise.resolve([]) : this.deliveries.claimSuspect(worker),
      );
    }
    if (!this.due) return 0;
    [this.due, this.urgent] = [false, false];
    const begun = await this.begin((worker) => this.claim(worker));
    if (begun === AT_ONCE) this.due = true;
    if (begun === 0) this.fruitlessAt = performance.now();
    return begun;
  }

  private async claim(worker: string | undefined): Promise<Attempt[]> {
    const room = this.room();
    if (worker === undefined || room.atOnce === 0) return [];
    const claimed = await this.deliveries.claim(room, worker, this.after);
    this.after = claimed.length === room.atOnce ? (claimed.at(-1)?.business_id ?? '0') : '0';
    return claimed;
  }

  private room(): Room {
    const room = roomBeside(this.running.keys());
    return this.stopped ? { ...room, atOnce: 0 } : room;
  }

  private hasSuspect(): boolean {
    for (const { lost_workers } of this.running.keys()) if (lost_workers >= SUSPECT_FROM) return true;
    return false;
  }

  /** @returns how many attempts were begun */
  private begin(claim: (worker: string | undefined) => Promise<Attempt[]>): Promise<number> {
    const begun = this.turn.then(async () => {
      const claimed = await claim(this.mayClaim ? this.worker : undefined);
      for (const attempt of claimed) this.start(attempt);
      return claimed.length;
    });
    this.turn = begun.catch(() => undefined);
    return begun;
  }

  private get mayClaim(): boolean {
    return this.worker !== undefined && this.heartbeat.id === this.worker;
  }

  /** Whether the claim of an attempt holds is not known while this process has stood still and has no new id yet. */
  private claimOf(attempt: Attempt): Claim {
    const holds = () => this.mayClaim && attempt.worker === this.worker;
    const confirm = async () => {
      while (!this.mayClaim && !this.stopped) await new Promise((resume) => setTimeout(resume, HOLDS_EVERY_MS));
      return holds();
    };
    return { confirm, holds };
  }

  private start(attempt: Attempt): void {
    const ended = this.attempts.run(attempt, this.claimOf(attempt)).then(({ freed, due }) => {
      this.running.delete(attempt);
      const isSuspect = attempt.lost_workers >= SUSPECT_FROM;
      if (isSuspect) this.suspects = true;
      if (freed || due || isSuspect) this.nudge({ urgent: freed });
    });
    this.running.set(attempt, ended);
  }

  private warn(error: unknown, message: string): void {
    this.logger.warn({ err: error }, message);
  }
}

function idsOf(attempts: Iterable<Attempt>): string[] {
  return [...attempts].map(({ id }) => id);
}
