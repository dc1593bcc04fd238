import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformAccountUpdate, PlatformTemplateUpdate } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { BackgroundJobs } from './background-jobs.service';
import { AccountUpdates } from './connections/account-updates.service';
import { TemplateUpdates } from './templates/template-updates.service';

/** Consumes the platform's template and account updates. */
@Injectable()
export class PlatformEventsConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumers: EventConsumer[];

  constructor(
    jobs: BackgroundJobs,
    templates: TemplateUpdates,
    accounts: AccountUpdates,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    // The latest update wins, so handle updates in order.
    const common = { nc, db, logger, schema: 'template', stream: 'PLATFORM', ordered: true } as const;
    /** Businesses whose templates or account changed in the transaction that commits next. */
    const changedTemplates = new Set<number>();
    const changedAccounts = new Set<number>();
    this.consumers = [
      new EventConsumer({
        ...common,
        durable: 'template-updates',
        type: PlatformTemplateUpdate,
        handle: async (events, tx) => {
          await templates.apply(events, tx);
          for (const { business_id } of events) changedTemplates.add(business_id);
        },
        afterCommit: () => {
          templates.announce(changedTemplates);
          changedTemplates.clear();
          jobs.wake();
        },
      }),
      new EventConsumer({
        ...common,
        durable: 'template-accounts',
        type: PlatformAccountUpdate,
        handle: async (events, tx) => {
          await accounts.apply(events, tx);
          for (const { business_id } of events) changedAccounts.add(business_id);
        },
        afterCommit: () => {
          accounts.announce(changedAccounts);
          changedAccounts.clear();
          jobs.wake();
        },
      }),
    ];
  }

  onApplicationBootstrap(): void {
    for (const consumer of this.consumers) consumer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
  }
}
