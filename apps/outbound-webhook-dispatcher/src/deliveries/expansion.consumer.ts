import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { DispatchService } from './dispatch.service';

/** Stores a delivery of each event for each subscribed webhook. A stored delivery cannot get lost (guarantees §4, D1). */
@Injectable()
export class ExpansionConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumer: EventConsumer;

  constructor(
    dispatch: DispatchService,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    this.consumer = new EventConsumer({
      nc,
      db,
      logger,
      schema: 'dispatch',
      durable: 'outbound-webhook-dispatcher',
      stream: 'PUBLIC',
      // Earlier events of a conversation are stored before later ones (decision 29b).
      ordered: true,
      singleStatement: true,
      handle: (events) => dispatch.expand(events),
    });
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.consumer.stop();
  }
}
