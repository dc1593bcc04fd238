import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  STREAMS,
  eventTypeOn,
  type EventEnvelope,
  type GatewayError,
  type Operation,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { ensureStreams } from '@mgw/events';
import { connectNats } from '@mgw/nats';
import { Database, runMigrations, type SchemaOptions } from '@mgw/postgres';
import { RpcClient, type RpcContext } from '@mgw/rpc';
import { Sealer } from '@mgw/sealing';
import { startService, type RunningService, type RunSettings, type ServiceOptions } from '@mgw/service';
import { createLogger, metricsText } from '@mgw/telemetry';
import { eventually, spawnNode, templateDatabase, testDatabase, testNats, type NodeChild, type TestDatabase } from '@mgw/testing';
import { headers, type JetStreamManager, type JetStreamPublishOptions } from 'nats';

const logger = createLogger('harness', 'silent');

const RESPONSE_WITHIN_MS = 60_000;

/** Waits for a response as long as `eventually`: a slow machine may need longer than an operation's own deadline. */
class HarnessClient extends RpcClient {
  override call<O extends Operation>(operation: O, request: RequestOf<O>, context: Partial<RpcContext> = {}): Promise<ResponseOf<O>> {
    return super.call(operation, request, { deadlineAt: Date.now() + RESPONSE_WITHIN_MS, ...context });
  }
}

type Responder<O extends Operation> = (request: RequestOf<O>) => ResponseOf<O> | Promise<ResponseOf<O>>;

/** Runs one service on its own database and broker. Tests respond for the other services. */
export class Harness {
  readonly rpc: RpcClient;
  private readonly stops: (() => Promise<unknown>)[] = [];
  private readonly streams = new Map<string, { created: string; next: number; events: EventEnvelope[] }>();

  constructor(
    readonly db: Database,
    readonly nc: Awaited<ReturnType<typeof connectNats>>,
    readonly broker: Awaited<ReturnType<typeof testNats>>,
    /** Environment variables of the service; tests add to them. */
    readonly env: Record<string, string>,
  ) {
    this.rpc = new HarnessClient(nc, logger);
  }

  /** Seals like the services that start now. */
  get sealer(): Sealer {
    return new Sealer(this.env['SEALING_KEYS'] ?? '');
  }

  /** Rotates the sealing key as docs/operations.md describes, with two replicas, and leaves the service stopped. */
  async rotateKeys<C extends RunSettings>(options: ServiceOptions<C>): Promise<void> {
    const added = `new:${randomBytes(32).toString('base64')}`;
    this.env['SEALING_KEYS'] = `${added},${this.env['SEALING_KEYS']}`;
    const replicas = [await this.run(options), await this.run(options)];
    await eventually(async () => /^mgw_sealed_secrets\{[^}]*key="new"/m.test((await metricsText()).text));
    await eventually(async () => !/^mgw_sealed_secrets\{[^}]*key="test"/m.test((await metricsText()).text));
    for (const replica of replicas) await replica.stop();
    this.env['SEALING_KEYS'] = added;
  }

  /** Runs a replica in this process. */
  async run<C extends RunSettings>(options: ServiceOptions<C>, env: Record<string, string> = {}): Promise<RunningService> {
    const service = await startService(options, { ...this.env, ...env }, logger);
    this.stops.unshift(() => service.stop());
    return service;
  }

  /** Runs a replica from the build as its own process, so that a test can kill it. */
  async spawn(app: string, env: Record<string, string> = {}): Promise<NodeChild> {
    const file = join(__dirname, '../../../dist/apps', app, 'src/main.js');
    const child = spawnNode(file, { ...this.env, NODE_ENV: 'test', LOG_LEVEL: 'info', ...env });
    this.stops.unshift(() => child.kill('SIGKILL'));
    await child.printed(/"msg":"ready"/);
    return child;
  }

  /** Responds to an operation in place of its service. The caller receives a GatewayError that `responder` throws. */
  respond<O extends Operation>(operation: O, responder: Responder<O>): void {
    const subscription = this.nc.subscribe(operation.subject, {
      callback: (_fault, message) => {
        void Promise.resolve()
          .then(() => responder(message.json()))
          .then(
            (response) => message.respond(JSON.stringify(response)),
            (error: GatewayError) => {
              const marked = headers();
              marked.set('error', '1');
              message.respond(JSON.stringify(error.toWire()), { headers: marked });
            },
          );
      },
    });
    this.stops.unshift(async () => subscription.unsubscribe());
  }

  /** Publishes events like the relay of another service; resolves when JetStream has stored them. */
  async publish(...events: EventEnvelope[]): Promise<void> {
    await ensureStreams(await this.nc.jetstreamManager());
    for (const event of events) {
      const stream = Object.values(STREAMS).find(({ subjects }) => eventTypeOn(`${subjects.slice(0, -2)}.${event.type}`));
      const subject = `${stream?.subjects.slice(0, -2)}.${event.type}`;
      await this.publishTo(subject, JSON.stringify(event), { msgID: `${event.id}:${randomBytes(4).toString('hex')}` });
    }
  }

  /** Publishes once the stream exists: while another process creates it, JetStream lists it and does not respond to a message. */
  async publishTo(subject: string, body: string, options: Partial<JetStreamPublishOptions> = {}): Promise<void> {
    const untilCreated = { retries: 40, retry_delay: 50 };
    await this.nc.jetstream().publish(subject, body, { ...options, ...untilCreated });
  }

  /** All published events of one type, oldest first. */
  async published(type: string): Promise<EventEnvelope[]> {
    const manager = await this.nc.jetstreamManager();
    await ensureStreams(manager);
    const events: EventEnvelope[] = [];
    for (const name of Object.keys(STREAMS)) events.push(...(await this.eventsOf(name, manager)));
    return events.filter((event) => event.type === type);
  }

  /** Reads only what the stream has received since the last call: specs poll it. */
  private async eventsOf(stream: string, manager: JetStreamManager): Promise<EventEnvelope[]> {
    const { state, created } = await manager.streams.info(stream);
    const known = this.streams.get(stream);
    const read = known?.created === created ? known : { created, next: 0, events: [] };
    this.streams.set(stream, read);
    for (let seq = Math.max(read.next, state.first_seq, 1); seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(stream, { seq });
      // Another call may have read it meanwhile.
      if (seq < read.next) continue;
      read.events.push(...([JSON.parse(Buffer.from(message.data).toString('utf8'))].flat() as EventEnvelope[]));
      read.next = seq + 1;
    }
    return read.events;
  }

  onClose(stop: () => Promise<unknown>): void {
    this.stops.unshift(stop);
  }

  async close(): Promise<void> {
    for (const stop of this.stops) await stop();
  }
}

/** A new database with the service's schema. The migrations run once in a test run. */
export async function migratedDatabase(service: Omit<SchemaOptions, 'url'>): Promise<TestDatabase> {
  const key = JSON.stringify([service.schema, service.sources, String(service.migrations)]);
  return testDatabase(await templateDatabase(key, (url) => runMigrations({ ...service, url })));
}

/** @param service its schema is created in a database of its own */
export async function startHarness(service: Omit<SchemaOptions, 'url'>): Promise<Harness> {
  const [database, broker] = await Promise.all([migratedDatabase(service), testNats()]);
  const db = await Database.open({ url: database.url, schema: service.schema });
  const nc = await connectNats({ servers: [broker.url], name: 'harness', logger });
  const harness = new Harness(db, nc, broker, {
    DATABASE_URL: database.url,
    NATS_URL: broker.url,
    SEALING_KEYS: `test:${randomBytes(32).toString('base64')}`,
  });
  harness.onClose(async () => {
    await nc.close();
    await db.close();
    await broker.stop();
    await database.drop();
  });
  return harness;
}
