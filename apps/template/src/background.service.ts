import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformAccountUpdate, PlatformTemplateUpdate } from '@mgw/contracts';
import { EventConsumer, Signal, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { AccountUpdates } from './connections/account-updates.service';
import { ProbeService } from './connections/probe.service';
import { SyncService } from './templates/sync.service';
import { TemplateUpdates } from './templates/template-updates.service';

const LOOK_EVERY_MS = 2_000;

/** Probes and syncs what is due. Replicas share the work by what they take from the tables. */
@Injectable()
export class BackgroundService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private readonly updates: EventConsumer;
  private readonly accountUpdates: EventConsumer;
  /** Businesses whose templates or account were changed by events that are about to be committed. */
  private changed = new Set<number>();
  private touched = new Set<number>();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly probes: ProbeService,
    private readonly sync: SyncService,
    templates: TemplateUpdates,
    accounts: AccountUpdates,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) private readonly logger: EventConsumerOptions['logger'],
  ) {
    // What the platform said last holds.
    const common = { nc, db, logger, schema: 'template', stream: 'PLATFORM', ordered: true } as const;
    this.updates = new EventConsumer({
      ...common,
      durable: 'template-updates',
      type: PlatformTemplateUpdate,
      handle: async (events, tx) => {
        await templates.apply(events as Parameters<TemplateUpdates['apply']>[0], tx);
        this.changed = new Set([...this.changed, ...events.map(({ business_id }) => business_id)]);
      },
      committed: () => {
        templates.announce(this.changed);
        this.changed.clear();
        this.nudge();
      },
    });
    this.accountUpdates = new EventConsumer({
      ...common,
      durable: 'template-accounts',
      type: PlatformAccountUpdate,
      handle: async (events, tx) => {
        await accounts.apply(events as Parameters<AccountUpdates['apply']>[0], tx);
        this.touched = new Set([...this.touched, ...events.map(({ business_id }) => business_id)]);
      },
      committed: () => {
        accounts.announce(this.touched);
        this.touched.clear();
        this.nudge();
      },
    });
  }

  onApplicationBootstrap(): void {
    this.updates.start();
    this.accountUpdates.start();
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.give();
    await Promise.all([this.updates.stop(), this.accountUpdates.stop()]);
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
