import type { Provider, Type } from '@nestjs/common';
import type { PublishWaitingEvents, StreamName } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { RpcClient } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import type { Logger } from '@mgw/telemetry';
import { LOGGER, NATS } from './service.module';

/**
 * Provides the relay of the service's outbox.
 * @param streams the streams that its events go to
 * @param predecessors publishes the events that its own follow
 */
export function outboxRelay(streams: readonly StreamName[], predecessors?: typeof PublishWaitingEvents): Provider {
  return {
    provide: OutboxRelay,
    inject: [Database, NATS, LOGGER, RpcClient],
    useFactory: (db: Database, nc: NatsConnection, logger: Logger, rpc: RpcClient) => {
      const predecessorsPublished = predecessors && (async () => void (await rpc.call(predecessors, {})));
      return new OutboxRelay({ db, nc, logger, schema: db.schema, streams, predecessorsPublished });
    },
  };
}

/** Provides the sealer of a configuration with `sealingSettings`. */
export function sealerOf<C extends { sealer: Sealer }>(config: Type<C>): Provider {
  return { provide: Sealer, inject: [config], useFactory: ({ sealer }: C) => sealer };
}
