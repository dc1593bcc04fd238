import type { Server } from 'node:http';
import { Global, Module, type DynamicModule, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import type { NatsConnection } from '@mgw/nats';
import { Database } from '@mgw/postgres';
import { RpcClient, RpcServer } from '@mgw/rpc';
import { LOGGER, NATS } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { GatewayConfig } from '../src/gateway.config';
import { GatewayModule } from '../src/gateway.module';
import { configureHttp } from '../src/server/configure-http';
import { fastifyAdapter } from '../src/server/start-http';
import { Browser } from './browser.fixture';

/** The providers that the service gives the gateway's module. */
export interface Runtime {
  db: Database;
  nc: NatsConnection;
  rpc: RpcClient;
  config: GatewayConfig;
  logger: Logger;
}

@Global()
@Module({})
class RuntimeModule {
  static withProviders({ db, nc, rpc, config, logger }: Runtime): DynamicModule {
    const providers = [
      { provide: Database, useValue: db },
      { provide: NATS, useValue: nc },
      { provide: RpcClient, useValue: rpc },
      { provide: GatewayConfig, useValue: config },
      { provide: LOGGER, useValue: logger },
    ];
    return { module: RuntimeModule, providers, exports: providers };
  }
}

/** A gateway over HTTP. Several on one database are replicas. */
export class Door {
  readonly visitor: Browser;

  private constructor(
    private readonly app: NestFastifyApplication,
    /** Every registered route, as `GET /api/client/me`. */
    readonly routes: readonly string[],
  ) {
    this.visitor = this.withSession(null);
  }

  static async open(runtime: Runtime): Promise<Door> {
    const testing = await Test.createTestingModule({ imports: [RuntimeModule.withProviders(runtime), GatewayModule] }).compile();
    const adapter = fastifyAdapter(runtime.config);
    const routes: string[] = [];
    adapter.getInstance().addHook('onRoute', ({ method, url }) => void routes.push(...[method].flat().map((one) => `${one} ${url}`)));
    const app = testing.createNestApplication<NestFastifyApplication>(adapter, { bodyParser: false });
    configureHttp(app, runtime.logger, runtime.config.publicUrl);
    const { nc: connection, logger } = runtime;
    app.connectMicroservice({
      strategy: new RpcServer({ connection, service: 'gateway', concurrency: 100, readConcurrency: 100, logger }),
    });
    try {
      await app.startAllMicroservices();
      await app.init();
      await app.getHttpAdapter().getInstance().ready();
    } catch (error) {
      await app.close();
      throw error;
    }
    return new Door(app, routes);
  }

  /** A browser with this session. */
  withSession(token: string | null): Browser {
    return new Browser(this.app.getHttpServer() as Server, token);
  }

  get<T>(type: Type<T>): T {
    return this.app.get(type, { strict: false });
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}
