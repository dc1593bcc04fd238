import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { EventEnvelope } from '@mgw/contracts';
import { Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import { gauge, type Logger } from '@mgw/telemetry';
import { AttemptService } from './attempt.service';
import { DeliveriesStore, type Attempt, type Ceilings } from './deliveries.store';

/** Ceilings of one process: a slow receiver delays only itself, many slow ones of a business only that business (guarantees §4, D5). */
const PER_WEBHOOK = 16;
const PER_BUSINESS = 64;
/** More than one business can have (its ceiling, and one look beyond it): on a host that many use, one cannot take all. */
const PER_HOST = 128;
const PER_PROCESS = 512;
const AT_ONCE = 64;
const LOOK_EVERY_MS = 250;
const SKIP_EVERY_MS = 2_000;
/** On the way out, well within the 8 s that a service has; what takes longer is made again. */
const DRAIN_MS = 4_000;

/** Takes due attempts and runs them side by side. */
@Injectable()
export class DispatchService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly running = new Map<Attempt, Promise<void>>();
  /** Statements that take attempts follow each other: each must know what the one before has taken. */
  private turn: Promise<unknown> = Promise.resolve();
  /** Whether deliveries may wait for the end of an attempt. */
  private backlog = true;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();
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

  /** Takes no more and waits a while for what runs; the rest is cut off, and made again after its lease. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await this.turn;
    await Promise.race([Promise.all(this.running.values()), new Promise((resume) => setTimeout(resume, DRAIN_MS).unref())]);
    await this.attempts.close();
  }

  /** Says that there is a delivery which nobody has taken. */
  nudge(): void {
    this.backlog = true;
    this.signal.give();
  }

  /** Stores what events mean for webhooks, and begins at once what nothing holds up. */
  async expand(events: EventEnvelope[]): Promise<void> {
    await this.begin(async (ceilings) => {
      const { taken, waiting } = await this.deliveries.expand(events, ceilings);
      if (waiting > 0) this.nudge();
      return taken;
    });
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        // A look that took less than it might has left nothing that could begin before something ends or comes.
        if ((await this.takeSome()) < AT_ONCE) await this.signal.wait(LOOK_EVERY_MS);
        await this.skipDisabled();
      } catch (error) {
        this.logger.warn({ err: error }, 'deliveries could not be taken now; they stay stored');
        await this.signal.wait(500);
      }
    }
  }

  private async skipDisabled(): Promise<void> {
    if (Date.now() - this.skippedAt <= SKIP_EVERY_MS) return;
    this.skippedAt = Date.now();
    await this.deliveries.skipDisabled();
  }

  private async takeSome(): Promise<number> {
    // What runs may hold up others: its end is a reason to look again.
    this.backlog = this.running.size > 0;
    const begun = await this.begin((ceilings) => (ceilings.room > 0 ? this.deliveries.take(ceilings) : Promise.resolve([])));
    if (begun > 0) this.backlog = true;
    return begun;
  }

  /** @returns how many attempts were begun */
  private begin(take: (ceilings: Ceilings) => Promise<Attempt[]>): Promise<number> {
    const begun = this.turn.then(async () => {
      const taken = await take(this.ceilings());
      for (const attempt of taken) this.start(attempt);
      return taken.length;
    });
    this.turn = begun.catch(() => undefined);
    return begun;
  }

  private start(attempt: Attempt): void {
    const ended = this.attempts.run(attempt).then((othersWait) => {
      this.running.delete(attempt);
      if (othersWait || this.backlog) this.nudge();
    });
    this.running.set(attempt, ended);
  }

  private ceilings(): Ceilings {
    return {
      room: this.stopped ? 0 : Math.min(AT_ONCE, PER_PROCESS - this.running.size),
      busy: this.underWay((attempt) => attempt.webhook_id),
      perWebhook: PER_WEBHOOK,
      full: {
        businesses: overCeiling(
          this.underWay((attempt) => attempt.business_id),
          PER_BUSINESS,
        ),
        hosts: overCeiling(
          this.underWay((attempt) => attempt.url.split('/')[2] ?? ''),
          PER_HOST,
        ),
      },
    };
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
