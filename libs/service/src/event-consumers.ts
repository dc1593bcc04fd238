import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { EventType } from '@mgw/contracts';
import { EventConsumer, type EventConsumerOptions, type OutboxRelay, type WorkerHeartbeat } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import type { Database } from '@mgw/postgres';
import type { Logger } from '@mgw/telemetry';

type ConsumerOptions<E extends EventType> = Omit<EventConsumerOptions<E>, 'nc' | 'db' | 'schema' | 'logger' | 'worker'>;

/** Creates consumers on the service's connections. */
export class ConsumerFactory {
  constructor(
    private readonly db: Database,
    private readonly nc: NatsConnection,
    private readonly logger: Logger,
    private readonly worker: WorkerHeartbeat,
  ) {}

  create<E extends EventType>(options: ConsumerOptions<E>): EventConsumer {
    const { db, nc, logger, worker } = this;
    return new EventConsumer({ db, nc, logger, worker, schema: db.schema, ...options });
  }
}

/** Consumers that run while the service runs. */
export abstract class EventConsumers implements OnApplicationBootstrap, OnApplicationShutdown {
  /** Publishes what the consumers commit, and stops after them. */
  protected readonly relay?: OutboxRelay;

  constructor(private readonly consumers: EventConsumer[]) {}

  onApplicationBootstrap(): void {
    this.relay?.start();
    for (const consumer of this.consumers) consumer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
    await this.relay?.stop();
  }
}
