import { type Provider, type Type, Injectable, type OnModuleInit } from '@nestjs/common';
import type { StreamName } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { Sealer, SealingError } from '@mgw/sealing';
import type { Logger } from '@mgw/telemetry';
import { LOGGER, NATS } from './service.module';

/**
 * A provider that prevents a start with the wrong keys (guarantees §9): every operation that needs a secret would fail.
 * @param anyOne SQL that selects any stored secret: `sealed`, `context`
 */
export function sealingCheck(anyOne: string): Type {
  @Injectable()
  class SealingCheck implements OnModuleInit {
    constructor(
      private readonly db: Database,
      private readonly sealer: Sealer,
    ) {}

    async onModuleInit(): Promise<void> {
      const [stored] = await this.db.query<{ sealed: string; context: string }>(anyOne);
      if (stored === undefined) return;
      try {
        this.sealer.open(stored.sealed, stored.context);
      } catch {
        throw new SealingError('SEALING_KEYS does not open the stored secrets: start with the previous keys');
      }
    }
  }
  return SealingCheck;
}

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
