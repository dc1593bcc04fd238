import 'reflect-metadata';
import { Logger as NestLogger, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Environment } from '@mgw/config';
import { connectNats, isConnected } from '@mgw/nats';
import { asCallerError, Database } from '@mgw/postgres';
import { LocalHandlers, RpcClient, RpcServer } from '@mgw/rpc';
import { asService, gauge, startProbes, startTracing, type Logger } from '@mgw/telemetry';
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
  /** Bytes of other services' requests in progress; by default 16 MB. */
  requestBytes?: number;
  /**
   * Starts the application: by default a microservice with `@Handles` methods. The gateway passes its HTTP server.
   * @param requests serves the `@Handles` methods
   */
  start?(root: ReturnType<typeof ServiceModule.with>, config: C, logger: Logger, requests: RpcServer): Promise<INestApplicationContext>;
}

export interface RunningService {
  app: INestApplicationContext;
  /** Whether it can work now. */
  isReady(): Promise<boolean>;
  stop(): Promise<void>;
}

/** A service of a process, with the variables and the log of its own. */
export interface Member {
  options: ServiceOptions<RunSettings>;
  environment: Environment;
  logger: Logger;
}

/** Time from SIGTERM to a forced exit, in milliseconds. Requests have up to 30 s, the longest deadline of an operation. */
const STOP_WITHIN_MS = 40_000;

/**
 * Starts services in this process, and stops them without losing a request on SIGTERM or SIGINT. A start that fails ends the process with one
 * clear line.
 * @param members callers before the services that they call: the last one starts first, and the first one stops first. Background work
 * retries until the gateway has started
 * @param logger the process's own
 */
export async function runServices(members: readonly [Member, ...Member[]], logger: Logger): Promise<void> {
  tuneRuntime();
  const die = (log: Logger, error: unknown, what: string): never => {
    log.fatal({ err: error }, what);
    process.exit(1);
  };
  process.once('uncaughtException', (error) => die(logger, error, 'uncaught error'));
  process.once('unhandledRejection', (error) => die(logger, error, 'unhandled rejection'));
  // Before any service starts: one that is running would already work on events when the next one ends the process.
  let isFaulty = false;
  for (const { options, environment, logger: own } of members) {
    try {
      options.config.load(environment);
    } catch (error) {
      own.fatal({ err: error }, `${options.name} could not start`);
      isFaulty = true;
    }
  }
  if (isFaulty) process.exit(1);
  const running: RunningService[] = [];
  const isReady = async () => running.length === members.length && (await Promise.all(running.map((one) => one.isReady()))).every(Boolean);
  const local = members.length > 1 ? new LocalHandlers() : undefined;
  let starting = members[0];
  try {
    const { probePort, otlpEndpoint } = starting.options.config.load(starting.environment);
    const probes = await startProbes({ port: probePort, logger, ready: isReady });
    const tracing = otlpEndpoint === '' ? undefined : await startTracing(starting.options.name, logger);
    for (const member of [...members].reverse()) {
      starting = member;
      const { options, environment, logger: own } = member;
      running.unshift(await asService(options.name, () => startService(options, environment, own, local)));
    }
    // Nest has one logger for the process, by default that of the last application.
    NestLogger.overrideLogger(nestOptions(logger).logger ?? false);
    logger.info({ probe_port: probes.port }, 'ready');
    stopOnSignal(logger, async () => {
      for (let next = running.shift(); next !== undefined; next = running.shift()) await next.stop();
      await probes.close();
      await tracing?.close();
    });
  } catch (error) {
    die(starting.logger, error, `${starting.options.name} could not start`);
  }
}

/**
 * Starts a service inside this process, without touching the process: for tests, and for `runServices`.
 * @param local handlers of the other services in this process
 */
export async function startService<C extends RunSettings>(
  options: ServiceOptions<C>,
  environment: Environment,
  logger: Logger,
  local?: LocalHandlers,
): Promise<RunningService> {
  const config = options.config.load(environment);
  logger.info({ config: config.printable() }, 'starting');
  // Identifies the service to Prometheus, however it finds the process; alerts fire when the metric is absent.
  gauge('mgw_service_info', 'Identifies the services of this process; always 1', ['service_name']).set({ service_name: options.name }, 1);
  const { natsUrl: servers, streamMaxBytes } = config;
  const connection = await connectNats({ servers, name: options.name, logger, streamMaxBytes });
  const database = options.schema ? await openDatabase(options, config) : null;
  const rpc = new RpcClient(connection, logger, local);
  const root = ServiceModule.with({ logger, connection, rpc, database, configClass: options.config, config }, options.module);
  const disconnect = async () => {
    await connection.drain().catch(() => undefined);
    await database?.close();
  };
  const { rpcConcurrency: concurrency, rpcReadConcurrency: readConcurrency } = config;
  const { name: service, requestBytes } = options;
  const requests = new RpcServer({
    connection,
    local,
    service,
    concurrency,
    readConcurrency,
    requestBytes,
    explain: asCallerError,
    logger,
  });
  const starting = (options.start ?? startMicroservice)(root, config, logger, requests);
  const app = await starting.catch((error: unknown) => disconnect().then(() => Promise.reject(error)));
  let stopped: Promise<void> | undefined;
  return {
    app,
    isReady: async () => stopped === undefined && isConnected(connection) && (await (database?.ping() ?? true)),
    stop: () => (stopped ??= app.close().then(disconnect)),
  };
}

function stopOnSignal(logger: Logger, stop: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      logger.info({ signal }, 'stopping');
      setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
      void stop().then(
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

/** Starts a microservice that serves requests over NATS. */
async function startMicroservice(
  root: ReturnType<typeof ServiceModule.with>,
  _config: RunSettings,
  logger: Logger,
  strategy: RpcServer,
): Promise<INestApplicationContext> {
  const app = await NestFactory.createMicroservice(root, { strategy, ...nestOptions(logger) });
  await app.listen();
  return app;
}
