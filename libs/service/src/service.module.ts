import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { WorkerHeartbeat } from '@mgw/events';
import { Database } from '@mgw/postgres';
import type { NatsConnection } from '@mgw/nats';
import { RpcClient } from '@mgw/rpc';
import type { Logger } from '@mgw/telemetry';
import { ConsumerFactory } from './event-consumers';

/** Injection token of the service's pino logger. */
export const LOGGER = Symbol('logger');
/** Injection token of the service's NATS connection. */
export const NATS = Symbol('nats');

interface ServiceParts {
  logger: Logger;
  connection: NatsConnection;
  rpc: RpcClient;
  database: Database | null;
  configClass: Type;
  config: object;
}

/** Provides logger, NATS connection, RPC client, database and configuration to every service. */
@Module({})
export class ServiceModule {
  static with({ logger, connection, rpc, database, configClass, config }: ServiceParts, root: Type): DynamicModule {
    // One worker for all that holds claims: each renews its row three times a second.
    const worker = database && new WorkerHeartbeat({ db: database, logger, schema: database.schema });
    const providers = [
      { provide: LOGGER, useValue: logger },
      { provide: NATS, useValue: connection },
      { provide: RpcClient, useValue: rpc },
      { provide: configClass, useValue: config },
      ...(worker
        ? [
            { provide: Database, useValue: database },
            { provide: WorkerHeartbeat, useValue: worker },
            { provide: ConsumerFactory, useValue: new ConsumerFactory(database, connection, logger, worker) },
          ]
        : []),
    ];
    return { module: ServiceModule, global: true, imports: [root], providers, exports: providers.map(({ provide }) => provide) };
  }
}
