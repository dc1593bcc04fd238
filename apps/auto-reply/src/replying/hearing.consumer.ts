import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MessageReceived } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { RepliesStore } from './replies.store';
import { WorkerService } from './worker.service';

/** Hears what customers write. */
@Injectable()
export class HearingConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
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
      // The last of a conversation is answered.
      ordered: true,
      // A message is noted once: its id sees to it.
      guarded: true,
      oneStatement: true,
      patient: true,
      handle: async (events) => {
        if (await replies.note(events as Parameters<RepliesStore['note']>[0])) worker.nudge();
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
