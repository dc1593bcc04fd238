import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import { gauge, type Logger } from '@mgw/telemetry';
import { AttemptService } from './attempt.service';
import { DeliveriesStore, type Attempt } from './deliveries.store';

/** Ceilings of one process: a slow receiver delays only itself, many slow ones of a business only that business (guarantees §4, D5). */
const PER_WEBHOOK = 16;
const PER_BUSINESS = 64;
const PER_HOST = 64;
const PER_PROCESS = 512;
const AT_ONCE = 64;
const LOOK_EVERY_MS = 250;
const PRUNE_EVERY_MS = 600_000;
const SKIP_EVERY_MS = 2_000;
const DRAIN_MS = 4_000;

/** Takes due attempts and runs them side by side. */
@Injectable()
export class DispatchService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly running = new Map<Attempt, Promise<void>>();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();
  private prunedAt = 0;
  private skippedAt = 0;

  constructor(
    private readonly deliveries: DeliveriesStore,
    private readonly attempts: AttemptService,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    gauge('mgw_webhook_attempts_running', 'Attempts under way', [], () => this.running.size);
  }

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  /** Takes no more and waits a while for what runs; the rest is made again after its lease. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await Promise.race([Promise.all(this.running.values()), new Promise((resume) => setTimeout(resume, DRAIN_MS).unref())]);
    await this.attempts.close();
  }

  nudge(): void {
    this.signal.give();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        if ((await this.takeSome()) === 0) await this.signal.wait(LOOK_EVERY_MS);
        await this.tidy();
      } catch (error) {
        this.logger.warn({ err: error }, 'deliveries could not be taken now; they stay stored');
        await this.signal.wait(500);
      }
    }
  }

  private async tidy(): Promise<void> {
    if (Date.now() - this.skippedAt > SKIP_EVERY_MS) {
      this.skippedAt = Date.now();
      await this.deliveries.skipDisabled();
    }
    if (Date.now() - this.prunedAt > PRUNE_EVERY_MS) {
      this.prunedAt = Date.now();
      await this.deliveries.prune();
    }
  }

  private async takeSome(): Promise<number> {
    const room = Math.min(AT_ONCE, PER_PROCESS - this.running.size);
    if (room <= 0) return 0;
    const full = {
      businesses: overCeiling(
        this.underWay((attempt) => attempt.business_id),
        PER_BUSINESS,
      ),
      hosts: overCeiling(
        this.underWay((attempt) => attempt.url.split('/')[2] ?? ''),
        PER_HOST,
      ),
    };
    const busy = this.underWay((attempt) => attempt.webhook_id);
    const taken = await this.deliveries.take(room, { busy, perWebhook: PER_WEBHOOK, full });
    for (const attempt of taken) {
      const ended = this.attempts.run(attempt).finally(() => {
        this.running.delete(attempt);
        this.signal.give();
      });
      this.running.set(attempt, ended);
    }
    return taken.length;
  }

  private underWay(groupOf: (attempt: Attempt) => string): Map<string, number> {
    const counts = new Map<string, number>();
    for (const attempt of this.running.keys()) counts.set(groupOf(attempt), (counts.get(groupOf(attempt)) ?? 0) + 1);
    return counts;
  }
}

function overCeiling(counts: Map<string, number>, ceiling: number): string[] {
  return [...counts].filter(([, count]) => count >= ceiling).map(([group]) => group);
}
