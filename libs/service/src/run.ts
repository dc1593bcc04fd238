import 'reflect-metadata';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Environment } from '@mgw/config';
import { connectNats, type NatsConnection } from '@mgw/nats';
import { asStorageProblem, Database } from '@mgw/postgres';
import { RpcClient, RpcServer } from '@mgw/rpc';
import { createLogger, gauge, startProbes, startTracing, type Logger } from '@mgw/telemetry';
import { nestOptions } from './nest-options';
import { tuneRuntime } from './runtime';
import { ServiceModule } from './service.module';

/** The settings that `runService` needs; the service's configuration class has them and more. */
export interface RunSettings {
  natsUrl: string[];
  streamMaxBytes: number;
  probePort: number;
  rpcConcurrency: number;
  rpcReadConcurrency: number;
  otlpEndpoint: string;
  databaseUrl?: string;
  databasePool?: number;
  databaseReadPool?: number;
  printable(): Record<string, unknown>;
}
type ConfigClass<C> = Type<C> & { load(environment: Environment): C };

export interface ServiceOptions<C extends RunSettings> {
  /** Name of the deployable, of its queue group and in its logs. */
  name: string;
  module: Type;
  config: ConfigClass<C>;
  /** Its schema; needs `databaseSettings` in the configuration. */
  schema?: string;
  /** Starts the application: by default a microservice with `@Handles` methods. The gateway passes its HTTP server. */
  start?: (root: ReturnType<typeof ServiceModule.with>, config: C, logger: Logger) => Promise<INestApplicationContext>;
}

export interface RunningService {
  app: INestApplicationContext;
  probePort: number;
  stop(): Promise<void>;
}

/** Time from SIGTERM to a forced exit, in milliseconds. Requests have up to 30 s, the longest deadline of an operation. */
const STOP_WITHIN_MS = 40_000;

/** Starts a service, and stops it without losing a request on SIGTERM or SIGINT. A start that fails ends the process with one clear line. */
export async function runService<C extends RunSettings>(options: ServiceOptions<C>): Promise<RunningService> {
  tuneRuntime();
  const logger = createLogger(options.name);
  const die = (error: unknown, what: string): never => {
    logger.fatal({ err: error }, what);
    process.exit(1);
  };
  process.once('uncaughtException', (error) => die(error, 'uncaught error'));
  process.once('unhandledRejection', (error) => die(error, 'unhandled rejection'));
  try {
    const service = await startService(options, process.env, logger);
    stopOnSignal(service, logger);
    return service;
  } catch (error) {
    return die(error, `${options.name} could not start`);
  }
}

/** Starts a service inside this process, without touching the process: for tests, and for `runService`. */
export async function startService<C extends RunSettings>(
  options: ServiceOptions<C>,
  environment: Environment,
  logger: Logger,
): Promise<RunningService> {
  const config = options.config.load(environment);
  logger.info({ config: config.printable() }, 'starting');
  // Identifies the service to Prometheus, however it finds the process; alerts fire when the metric is absent.
  gauge('mgw_service_info', 'Identifies the service of this process; always 1', ['service_name']).set({ service_name: options.name }, 1);
  const tracing = config.otlpEndpoint === '' ? undefined : await startTracing(options.name, logger);
  const { natsUrl: servers, streamMaxBytes } = config;
  const connection = await connectNats({ servers, name: options.name, logger, streamMaxBytes });
  const database = options.schema ? await openDatabase(options, config) : null;
  const rpc = new RpcClient(connection, logger);
  const root = ServiceModule.with({ logger, connection, rpc, database, configClass: options.config, config }, options.module);
  let ready = false;
  const probes = await startProbes({
    port: config.probePort,
    logger,
    ready: async () => ready && isConnected(connection) && (await (database?.ping() ?? true)),
  });
  const disconnect = async () => {
    await connection.drain().catch(() => undefined);
    await database?.close();
    await probes.close();
    await tracing?.close();
  };
  const starting = (options.start ?? asMicroservice(options.name, connection))(root, config, logger);
  const app = await starting.catch((error: unknown) => disconnect().then(() => Promise.reject(error)));
  ready = true;
  logger.info({ probe_port: probes.port }, 'ready');

  let stopped: Promise<void> | undefined;
  const stop = () =>
    (stopped ??= (async () => {
      ready = false;
      await app.close();
      await disconnect();
    })());
  return { app, probePort: probes.port, stop };
}

function stopOnSignal(service: RunningService, logger: Logger): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      logger.info({ signal }, 'stopping');
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
      void service.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          logger.error({ err: error }, 'stopping failed');
          process.exit(1);
        },
      );
    });
  }
}

function openDatabase<C extends RunSettings>({ name, schema }: ServiceOptions<C>, config: C): Promise<Database> {
  const { databaseUrl: url, databasePool: poolSize, databaseReadPool: readPoolSize } = config;
  if (!schema || !url || !poolSize || !readPoolSize) throw new Error(`${name} has a schema: its configuration needs databaseSettings`);
  return Database.open({ url, schema, poolSize, readPoolSize, applicationName: name });
}

function isConnected(connection: NatsConnection): boolean {
  return !connection.isClosed() && !connection.isDraining();
}

/** Starts a microservice that serves requests over NATS. */
function asMicroservice(service: string, connection: NatsConnection) {
  return async (root: ReturnType<typeof ServiceModule.with>, config: RunSettings, logger: Logger): Promise<INestApplicationContext> => {
    const { rpcConcurrency: concurrency, rpcReadConcurrency: readConcurrency } = config;
    const strategy = new RpcServer({ connection, service, concurrency, readConcurrency, explain: asStorageProblem, logger });
    const app = await NestFactory.createMicroservice(root, { strategy, ...nestOptions(logger) });
    await app.listen();
    return app;
  };
}
