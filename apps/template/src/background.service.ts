import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformTemplateUpdate } from '@mgw/contracts';
import { EventConsumer, Signal, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { ProbeService } from './connections/probe.service';
import { SyncService } from './templates/sync.service';
import { SyncsStore } from './templates/syncs.store';

const LOOK_EVERY_MS = 2_000;

/** Probes and syncs what is due. Replicas share the work by what they take from the tables. */
@Injectable()
export class BackgroundService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly updates: EventConsumer;
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly probes: ProbeService,
    private readonly sync: SyncService,
    private readonly syncs: SyncsStore,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) private readonly logger: EventConsumerOptions['logger'],
  ) {
    this.updates = new EventConsumer({
      nc,
      db,
      logger,
      schema: 'template',
      durable: 'template-updates',
      stream: 'PLATFORM',
      type: PlatformTemplateUpdate,
      handle: async (events, tx) => {
        for (const businessId of new Set(events.map(({ business_id }) => business_id))) await this.syncs.want(businessId, tx);
        this.nudge();
      },
    });
  }

  onApplicationBootstrap(): void {
    this.updates.start();
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await this.updates.stop();
    await this.ended;
  }

  nudge(): void {
    this.signal.give();
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        const [probed, synced] = await Promise.all([this.probes.probeDue(), this.sync.syncDue()]);
        if (probed + synced === 0) await this.signal.wait(LOOK_EVERY_MS);
      } catch (error) {
        this.logger.warn({ err: error }, 'background work failed; it is repeated');
        await this.signal.wait(LOOK_EVERY_MS);
      }
    }
  }
}
