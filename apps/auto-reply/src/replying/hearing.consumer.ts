import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { MessageReceived, MessageSent } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { RepliesStore } from './replies.store';
import { WorkerService } from './worker.service';

/** Hears what customers write, and when agents answer. */
@Injectable()
export class HearingConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumers: EventConsumer[];

  constructor(
    replies: RepliesStore,
    worker: WorkerService,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    const common = { nc, db, logger, schema: 'auto_reply', stream: 'PUBLIC' } as const;
    this.consumers = [
      new EventConsumer({
        ...common,
        durable: 'auto-reply-received',
        type: MessageReceived,
        handle: (events, tx) => replies.note(tx, events as Parameters<RepliesStore['note']>[1]),
        committed: () => worker.nudge(),
      }),
      new EventConsumer({
        ...common,
        durable: 'auto-reply-sent',
        type: MessageSent,
        concurrency: 128,
        handle: (events, tx) => replies.noteAgents(tx, events as Parameters<RepliesStore['noteAgents']>[1]),
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
