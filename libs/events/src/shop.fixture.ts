import { MessageSent, type EventEnvelope } from '@mgw/contracts';
import { connectNats, type NatsConnection } from '@mgw/nats';
import { Database, type Tx } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { testDatabase, testNats } from '@mgw/testing';
import { Client } from 'pg';
import {
  EventConsumer,
  OutboxRelay,
  appendToOutbox,
  eventTables,
  newEvent,
  unpublishedBefore,
  outboxRows,
  allowDirectPublish,
  WorkerHeartbeat,
  type EventConsumerOptions,
} from './index';

const logger = createLogger('events', 'silent');

export function sent(number: number, { key = 'conversation:1', text = 'Hi' } = {}): EventEnvelope<typeof MessageSent> {
  const message_id = `wamid.${number}`;
  return newEvent(MessageSent, {
    id: `message.sent:${message_id}`,
    at: '2026-01-02T03:04:05.678Z',
    business_id: 1,
    key,
    data: { message_id, to: '919876543210', type: 'text', text, sent_by: 'api', conversation_id: 1, business_id: 1 },
    facts: { intent_id: 'i', api_key_id: 1, template: null, repaired: false },
  });
}

/** A broker, a database with one schema of event tables, and a table of effects. */
export async function openShop() {
  const [broker, database] = [await testNats(), await testDatabase()];
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query('CREATE SCHEMA shop');
  await client.query(eventTables('shop'));
  await client.query('CREATE TABLE shop.effects (n bigserial, event_id text)');
  await client.end();
  const db = await Database.open({ url: database.url, schema: 'shop' });
  const nc = await connectNats({ servers: [broker.url], name: 'events', logger });
  const killables: NatsConnection[] = [];
  const running: { stop(): Promise<void> }[] = [];
  const started = <R extends { start(): void; stop(): Promise<void> }>(part: R): R => {
    part.start();
    running.push(part);
    return part;
  };
  return {
    broker,
    db,
    nc,
    relay: (options: object = {}) =>
      started(new OutboxRelay({ db, schema: 'shop', streams: ['PUBLIC', 'SENDING'], nc, logger, pollMs: 50, ...options })),
    consumer: (options: Partial<EventConsumerOptions> = {}) =>
      started(
        new EventConsumer({
          nc,
          db,
          schema: 'shop',
          logger,
          worker: new WorkerHeartbeat({ db: options.db ?? db, schema: 'shop', logger }),
          durable: 'shop',
          stream: 'PUBLIC',
          handle: (e, tx) => effect(e, tx),
          ...options,
        }),
      ),
    /** A consumer that can be killed: it loses NATS and the database without releasing anything. */
    killable: async ({ handle = effect, ...options }: Partial<EventConsumerOptions> = {}) => {
      let isDead = false;
      let die: (reason: Error) => void = () => undefined;
      const dead = new Promise<never>((_, reject) => (die = reject));
      dead.catch(() => undefined);
      const own = await connectNats({ servers: [broker.url], name: 'mortal', logger });
      killables.push(own);
      const ownDb = reachableUnless(() => isDead, db);
      const defaults = {
        nc: own,
        db: ownDb,
        schema: 'shop',
        logger,
        worker: new WorkerHeartbeat({ db: ownDb, schema: 'shop', logger }),
        durable: 'shop',
        stream: 'PUBLIC' as const,
      };
      started(new EventConsumer({ ...defaults, ...options, handle: (events, tx) => Promise.race([handle(events, tx), dead]) }));
      return {
        kill: async () => {
          isDead = true;
          await own.close();
          die(new Error('killed'));
        },
      };
    },
    /** Commits events and publishes them as a service does. */
    commitAndPublish: async (relay: OutboxRelay, ...numbers: number[]) => {
      const events = numbers.map((number) => sent(number));
      const rows = outboxRows();
      const [row] = await db.query<{ older: string[] | null }>(
        `INSERT INTO shop.outbox (event_id, subject, ordering_key, body, traceparent) SELECT * FROM ${rows.from('n')}
         RETURNING ${unpublishedBefore('shop', rows.list('ordering_key'))} AS older`,
        rows.values(events),
      );
      allowDirectPublish(events, row?.older ?? null);
      relay.publishCommitted(events);
    },
    publish: (...numbers: number[]) =>
      db.transaction((tx) =>
        appendToOutbox(
          tx,
          'shop',
          numbers.map((number) => sent(number)),
        ),
      ),
    /** The database, out of reach while `isDown()`. */
    dbUnless: (isDown: () => boolean): Database => reachableUnless(isDown, db),
    effects: async () => (await db.query<{ event_id: string }>('SELECT event_id FROM shop.effects ORDER BY n')).map((row) => row.event_id),
    count: async (what: string) => Number((await db.query<{ n: string }>(`SELECT count(*) AS n FROM shop.${what}`))[0]?.n),
    async close() {
      await Promise.all(running.map((part) => part.stop()));
      for (const own of killables) await own.close();
      await nc.close();
      await db.close();
      await broker.stop();
      await database.drop();
    },
  };
}
export type Shop = Awaited<ReturnType<typeof openShop>>;

function reachableUnless<T extends object>(isDown: () => boolean, whole: T): T {
  return new Proxy(whole, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'nonDurable') return reachableUnless(isDown, value as object);
      if (typeof value !== 'function') return value;
      return (...defaults: unknown[]) =>
        isDown() ? Promise.reject(new Error('out of reach')) : (value.apply(target, defaults) as unknown);
    },
  });
}

export async function effect(events: EventEnvelope[], tx: Tx): Promise<void> {
  await tx.query('INSERT INTO shop.effects (event_id) SELECT unnest($1::text[])', [events.map(({ id }) => id)]);
}
