import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { DispatchService } from './dispatch.service';

/** Makes of each event one delivery for each webhook that wants it; from then on it is not lost (guarantees §4, D1). */
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
      // What an event must wait for is stored before it (product decision 29b).
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
