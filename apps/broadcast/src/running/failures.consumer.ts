import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformStatus, type EventEnvelope } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { RecipientsStore } from './recipients.store';

/** Hears of messages that the platform took and could not deliver. */
@Injectable()
export class FailuresConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumer: EventConsumer;

  constructor(
    recipients: RecipientsStore,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    this.consumer = new EventConsumer({
      nc,
      db,
      logger,
      schema: 'broadcast',
      durable: 'broadcast-statuses',
      stream: 'PLATFORM',
      type: PlatformStatus,
      concurrency: 256,
      // A recipient fails once: its state sees to it.
      guarded: true,
      patient: true,
      handle: async (events, tx) => {
        const failed = (events as EventEnvelope<typeof PlatformStatus>[]).filter(({ data }) => data.status === 'failed');
        const failures = failed.map(({ data: { message_id, error } }) => ({
          messageId: message_id,
          reason: error ? `${error.code ?? 'no code'}: ${error.text}` : 'The platform reported a failure without details.',
        }));
        if (failures.length > 0) await recipients.fail(tx, failures);
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
