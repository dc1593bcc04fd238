import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { OutboxRelay, Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { BroadcastConfig } from '../broadcast.config';
import { RecipientsStore, type RunningBroadcast } from './recipients.store';
import { SendingService } from './sending.service';

/** Broadcasts that one process runs side by side. */
const SIDE_BY_SIDE = 16;
const LOOK_EVERY_MS = 1_000;
const TICK_MS = 250;
/** Messages of one broadcast under way at once. */
const UNDER_WAY = 64;

/** Runs broadcasts, each at its own even pace; a process that dies leaves them to another one. */
@Injectable()
export class RunnerService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly running = new Set<Promise<void>>();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
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
    await Promise.all(this.running);
    await this.relay.stop();
  }

  nudge(): void {
    this.signal.give();
  }

  private async look(): Promise<void> {
    while (!this.stopped) {
      try {
        const broadcast = this.running.size < SIDE_BY_SIDE ? await this.recipients.takeBroadcast() : null;
        if (broadcast) this.begin(broadcast);
        else await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'broadcasts could not be looked for now; they stay stored');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }

  private begin(broadcast: RunningBroadcast): void {
    const run = this.run(broadcast)
      .catch((error: unknown) =>
        this.logger.warn({ err: error, broadcast_id: broadcast.id }, 'a broadcast was interrupted; it goes on soon'),
      )
      .finally(() => {
        this.running.delete(run);
        this.signal.give();
      });
    this.running.add(run);
  }

  /** An even pace: every tick its share of a second, less what still waits for the platform. */
  private async run(taken: RunningBroadcast): Promise<void> {
    const broadcast = { ...taken };
    const underWay = new Set<Promise<void>>();
    let allowance = 0;
    try {
      while (!this.stopped) {
        const tick = new Promise((resume) => setTimeout(resume, TICK_MS));
        allowance = Math.min(this.config.perSecond, allowance + (this.config.perSecond * TICK_MS) / 1_000);
        const room = Math.min(Math.floor(allowance), UNDER_WAY - underWay.size);
        const { lease, due } = await this.recipients.takeRecipients(broadcast, Math.max(0, room));
        broadcast.lease = lease;
        // Another's, or paused or cancelled: then it stays this process's own until what is under way has ended.
        if (due === null && underWay.size === 0) break;
        allowance -= due?.length ?? 0;
        for (const recipient of due ?? []) {
          const sent = this.sending.send(broadcast, recipient).finally(() => underWay.delete(sent));
          underWay.add(sent);
        }
        if (due?.length === 0 && underWay.size === 0 && (await this.recipients.complete(broadcast.id))) {
          this.relay.nudge();
          return;
        }
        await tick;
      }
    } finally {
      await Promise.all(underWay);
    }
    await this.recipients.release(broadcast);
  }
}
