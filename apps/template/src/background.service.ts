import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformAccountUpdate, PlatformTemplateUpdate } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { AccountUpdates } from './connections/account-updates.service';
import { JobPool } from './job-pool';
import { ProbeService, MAX_PROBES } from './connections/probe.service';
import { SyncService, MAX_SYNCS } from './templates/sync.service';
import { TemplateUpdates } from './templates/template-updates.service';

/** Runs due probes and syncs, and consumes template and account updates. Replicas share the work by claiming rows. */
@Injectable()
export class BackgroundService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly pools: { start(): void; nudge(): void; stop(): Promise<void> }[];
  private readonly updates: EventConsumer;
  private readonly accountUpdates: EventConsumer;
  /** Businesses whose templates or account changed in the transaction that commits next. */
  private changed = new Set<number>();
  private touched = new Set<number>();

  constructor(
    probes: ProbeService,
    syncs: SyncService,
    templates: TemplateUpdates,
    accounts: AccountUpdates,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    this.pools = [
      new JobPool({ name: 'probes', maxConcurrent: MAX_PROBES, claim: (n) => probes.claimDue(n), run: (due) => probes.probe(due), logger }),
      new JobPool({ name: 'syncs', maxConcurrent: MAX_SYNCS, claim: (n) => syncs.claimDue(n), run: (due) => syncs.sync(due), logger }),
    ];
    // The latest update wins, so handle updates in order.
    const common = { nc, db, logger, schema: 'template', stream: 'PLATFORM', ordered: true } as const;
    this.updates = new EventConsumer({
      ...common,
      durable: 'template-updates',
      type: PlatformTemplateUpdate,
      handle: async (events, tx) => {
        await templates.apply(events, tx);
        this.changed = new Set([...this.changed, ...events.map(({ business_id }) => business_id)]);
      },
      afterCommit: () => {
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
        await accounts.apply(events, tx);
        this.touched = new Set([...this.touched, ...events.map(({ business_id }) => business_id)]);
      },
      afterCommit: () => {
        accounts.announce(this.touched);
        this.touched.clear();
        this.nudge();
      },
    });
  }

  onApplicationBootstrap(): void {
    this.updates.start();
    this.accountUpdates.start();
    for (const lane of this.pools) lane.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.updates, this.accountUpdates, ...this.pools].map((part) => part.stop()));
  }

  nudge(): void {
    for (const lane of this.pools) lane.nudge();
  }
}
