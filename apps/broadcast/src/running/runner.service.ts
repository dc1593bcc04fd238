import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OutboxRelay, Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { BroadcastConfig } from '../broadcast.config';
import { RecipientsStore } from './recipients.store';
import { RunsStore, type RunningBroadcast } from './runs.store';
import { SendingService } from './sending.service';

/** Broadcasts that one process runs side by side. */
const SIDE_BY_SIDE = 16;
/** How long a broadcast keeps its turn when others wait for one, in milliseconds. */
const TURN_MS = 5_000;
const LOOK_EVERY_MS = 1_000;
const TICK_MS = 250;
/** Messages of one broadcast under way at once. */
const UNDER_WAY = 64;

interface Run {
  since: number;
  /** Its turn is over: it begins nothing more, and no longer counts. */
  yields: boolean;
  ended: Promise<void>;
}

/** Runs broadcasts in turns, each at its own even pace; what a process that died ran is taken over by another one. */
@Injectable()
export class RunnerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly runs = new Set<Run>();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly turns: RunsStore,
    private readonly recipients: RecipientsStore,
    private readonly sending: SendingService,
    private readonly relay: OutboxRelay,
    private readonly config: BroadcastConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.relay.start();
    this.ended = this.look();
  }

  /** Begins nothing more, and waits for what is under way. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.ended;
    await Promise.all([...this.runs].map(({ ended }) => ended));
    await this.relay.stop();
  }

  nudge(): void {
    this.signal.give();
  }

  private async look(): Promise<void> {
    while (!this.stopped) {
      try {
        const broadcast = (await this.hasRoom()) ? await this.turns.take() : null;
        if (broadcast) this.begin(broadcast);
        else await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'looking for broadcasts failed; trying again');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }

  /** Makes room when another broadcast waits and one has had its turn. */
  private async hasRoom(): Promise<boolean> {
    const active = [...this.runs].filter(({ yields }) => !yields);
    if (active.length < SIDE_BY_SIDE) return true;
    const longest = active.reduce((one, other) => (other.since < one.since ? other : one));
    if (Date.now() - longest.since < TURN_MS || !(await this.turns.anyWaits())) return false;
    longest.yields = true;
    return true;
  }

  private begin(broadcast: RunningBroadcast): void {
    const run: Run = { since: Date.now(), yields: false, ended: Promise.resolve() };
    this.runs.add(run);
    run.ended = this.run(broadcast, run)
      .catch((error: unknown) =>
        this.logger.warn({ err: error, broadcast_id: broadcast.id }, 'a broadcast was interrupted; it goes on soon'),
      )
      .finally(() => {
        this.runs.delete(run);
        this.signal.give();
      });
  }

  /** An even pace: every tick its share of a second, less what still waits for the platform. */
  private async run(taken: RunningBroadcast, run: Run): Promise<void> {
    const broadcast = { ...taken };
    const underWay = new Set<Promise<void>>();
    let allowance = 0;
    try {
      while (!this.stopped) {
        const tick = new Promise((resume) => setTimeout(resume, TICK_MS));
        allowance = Math.min(this.config.perSecond, allowance + (this.config.perSecond * TICK_MS) / 1_000);
        const room = run.yields ? 0 : Math.min(Math.floor(allowance), UNDER_WAY - underWay.size);
        const takenAt = Date.now();
        const { lease, due } = await this.recipients.take(broadcast, Math.max(0, room), underWay.size === 0);
        broadcast.lease = lease;
        // Lost, paused or cancelled: then it stays this process's own until what is under way has ended.
        if ((due === null || run.yields) && underWay.size === 0) break;
        allowance -= due?.length ?? 0;
        for (const recipient of due ?? []) {
          const sent = this.sending.send(broadcast, recipient, takenAt).finally(() => underWay.delete(sent));
          underWay.add(sent);
        }
        if (due?.length === 0 && underWay.size === 0 && (await this.end(broadcast))) return;
        await tick;
      }
    } finally {
      await Promise.all(underWay);
    }
    if (run.yields) await this.turns.yield(broadcast);
    else await this.turns.release(broadcast);
  }

  /** Nothing is due and nothing under way. @returns whether this process is done with the broadcast for now */
  private async end(broadcast: RunningBroadcast): Promise<boolean> {
    if (!(await this.turns.complete(broadcast.id))) return this.turns.rest(broadcast);
    this.relay.nudge();
    return true;
  }
}
