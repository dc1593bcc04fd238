import type { Provider, Type } from '@nestjs/common';
import type { StreamName } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import type { Logger } from '@mgw/telemetry';
import { LOGGER, NATS } from './service.module';

/** Provides the relay of the service's outbox. @param streams the streams that its events go to */
export function outboxRelay(streams: readonly StreamName[]): Provider {
  return {
    provide: OutboxRelay,
    inject: [Database, NATS, LOGGER],
    useFactory: (db: Database, nc: NatsConnection, logger: Logger) => new OutboxRelay({ db, nc, logger, schema: db.schema, streams }),
  };
}

/** Provides the sealer of a configuration with `sealingSettings`. */
export function sealerOf<C extends { sealer: Sealer }>(config: Type<C>): Provider {
  return { provide: Sealer, inject: [config], useFactory: ({ sealer }: C) => sealer };
}
