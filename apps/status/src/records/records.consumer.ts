import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MessageNotSent, MessageSent, PlatformStatus } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { RecordsStore } from './records.store';

/** Consumes acceptances of the send service and statuses of the platform in any order. */
@Injectable()
export class RecordsConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumers: EventConsumer[];

  constructor(
    store: RecordsStore,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    // Redelivered events have no effect: a record's rank only rises, and the history has a unique key.
    const common = { nc, db, logger, schema: 'status', concurrency: 256, idempotent: true, latencyTolerant: true } as const;
    this.consumers = [
      new EventConsumer({
        ...common,
        durable: 'status-acceptances',
        stream: 'PUBLIC',
        type: MessageSent,
        handle: (events, tx) => store.accept(tx, events),
      }),
      new EventConsumer({
        ...common,
        durable: 'status-failures',
        stream: 'SENDING',
        type: MessageNotSent,
        handle: (events, tx) => store.fail(tx, events),
      }),
      new EventConsumer({
        ...common,
        durable: 'status-statuses',
        stream: 'PLATFORM',
        type: PlatformStatus,
        handle: (events, tx) => store.advance(tx, events),
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
