import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MessageReceived } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { RepliesStore } from './replies.store';
import { WorkerService } from './worker.service';

/** Records the messages of customers as questions. */
@Injectable()
export class QuestionsConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumer: EventConsumer;

  constructor(
    replies: RepliesStore,
    worker: WorkerService,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    this.consumer = new EventConsumer({
      nc,
      db,
      logger,
      schema: 'auto_reply',
      stream: 'PUBLIC',
      durable: 'auto-reply',
      type: MessageReceived,
      // Only the newest message of a conversation gets a reply.
      ordered: true,
      // Redelivered events have no effect: the message id is unique.
      idempotent: true,
      singleStatement: true,
      latencyTolerant: true,
      handle: async (events) => {
        if (await replies.record(events)) worker.nudge();
      },
    });
  }

  onApplicationBootstrap(): void {
    this.consumer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.consumer.stop();
  }
}
