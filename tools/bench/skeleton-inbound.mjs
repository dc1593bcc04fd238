// The floor of a customer's message: the product's durable steps from callback to webhook, and nothing else. Four bare processes without
// Nest, signatures, checks, order, deduplication and metrics; one statement for each commit, batched by turn of the event loop.
import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, nanos } from 'nats';
import pg from 'pg';
import { Pool } from 'undici';
import { startNats, startPostgres } from '../servers/servers.mjs';
import { PLATFORM_CONNECTIONS } from './account.mjs';
import { Product } from './product.mjs';

const MARK_EVERY_MS = 250;
/** The consumer of each stream. */
const STREAMS = { PLATFORM: 'send', PUBLIC: 'dispatcher' };

/** Collects the items of one turn, or of the previous run's time, into one run. */
function batched(run) {
  let [queue, running] = [[], false];
  const turn = async () => {
    running = true;
    for (; queue.length > 0; await null) {
      const batch = queue;
      queue = [];
      await run(batch.map(({ item }) => item));
      for (const { resolve } of batch) resolve();
    }
    running = false;
  };
  return (item) =>
    new Promise((resolve) => {
      queue.push({ item, resolve });
      if (!running) setImmediate(() => running || void turn());
    });
}

/** Stores the facts of a service and their outbox rows with one commit, publishes the events and marks them. */
function relayed(db, nc, schema, stream) {
  let published = [];
  const mark = () => {
    if (published.length === 0) return;
    void db.query({
      name: 'mark',
      text: `UPDATE ${schema}.outbox SET published_at = now() WHERE id = ANY ($1::text[])`,
      values: [published],
    });
    published = [];
  };
  setInterval(mark, MARK_EVERY_MS);
  return async (rows) => {
    await db.query({
      name: 'store',
      text: `WITH n AS (SELECT * FROM unnest($1::text[], $2::text[]) AS n (id, body)), fact AS (INSERT INTO ${schema}.facts SELECT id, body FROM n)
             INSERT INTO ${schema}.outbox SELECT id, body FROM n`,
      values: [rows.map(({ id }) => id), rows.map(({ body }) => body)],
    });
    const jetstream = nc.jetstream();
    void Promise.all(rows.map(({ id, body }) => jetstream.publish(stream, body, { msgID: id }))).then(() =>
      published.push(...rows.map(({ id }) => id)),
    );
  };
}

async function consume(nc, stream, handle) {
  const consumer = await nc.jetstream().consumers.get(stream, STREAMS[stream]);
  const store = batched(handle);
  await consumer.consume({
    max_messages: 128,
    callback: (message) => void store(JSON.parse(message.string())).then(() => message.ack()),
  });
}

const roles = {
  async gateway({ nc }) {
    const server = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => void nc.request('ingest', Buffer.concat(chunks), { timeout: 10_000 }).then(() => response.end('{}')));
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server.address().port;
  },
  async ingest({ db, nc }) {
    const store = batched(relayed(db, nc, 'ingest', 'PLATFORM'));
    nc.subscribe('ingest', {
      callback: (_error, message) => {
        const [{ id, text }] = JSON.parse(message.string()).entry[0].changes[0].value.messages;
        void store({ id, body: JSON.stringify({ id, text }) }).then(() => message.respond('{}'));
      },
    });
    await nc.flush();
  },
  async send({ db, nc }) {
    const store = relayed(db, nc, 'send', 'PUBLIC');
    await consume(nc, 'PLATFORM', (events) =>
      store(events.map(({ id, text }) => ({ id, body: JSON.stringify({ message_id: id, text }) }))),
    );
  },
  async dispatcher({ db, nc }) {
    let pool;
    process.on('message', ({ webhook }) => (pool = new Pool(new URL(webhook).origin, { connections: 16 })));
    const end = batched((ids) =>
      db.query({ name: 'end', text: 'UPDATE dispatch.facts SET done = now() WHERE id = ANY ($1::text[])', values: [ids] }),
    );
    const post = async ({ message_id, body }) => {
      const response = await pool.request({ path: '/', method: 'POST', body, headers: { 'content-type': 'application/json' } });
      await response.body.dump();
      await end(message_id);
    };
    await consume(nc, 'PUBLIC', async (events) => {
      const rows = events.map((event) => ({ message_id: event.message_id, body: JSON.stringify(event) }));
      const values = [rows.map(({ message_id }) => message_id), rows.map(({ body }) => body)];
      await db.query({ name: 'store', text: 'INSERT INTO dispatch.facts SELECT * FROM unnest($1::text[], $2::text[])', values });
      for (const row of rows) void post(row);
    });
  },
};

async function runRole(name) {
  const { DATABASE_URL, NATS_URL } = process.env;
  const db = new pg.Pool({ connectionString: DATABASE_URL, max: 4 });
  const nc = await connect({ servers: NATS_URL, noAsyncTraces: true });
  process.once('disconnect', () => process.exit());
  process.send({ port: await roles[name]({ db, nc }) });
}

async function prepare(databaseUrl, natsUrl) {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  for (const schema of ['ingest', 'send', 'dispatch'])
    await db.query(`CREATE SCHEMA ${schema}; CREATE TABLE ${schema}.facts (id text PRIMARY KEY, body text, done timestamptz);
      CREATE TABLE ${schema}.outbox (id text PRIMARY KEY, body text, published_at timestamptz)`);
  await db.end();
  const nc = await connect({ servers: natsUrl });
  const manager = await nc.jetstreamManager();
  for (const [stream, durable_name] of Object.entries(STREAMS)) {
    await manager.streams.add({ name: stream, subjects: [stream] });
    await manager.consumers.add(stream, { durable_name, ack_policy: 'explicit', ack_wait: nanos(30_000) });
  }
  await nc.close();
}

/** @returns the skeleton, which a benchmark measures like a product, and how to stop it */
export async function startInboundSkeleton() {
  const dir = mkdtempSync(join(tmpdir(), 'mgw-skeleton-inbound-'));
  chmodSync(dir, 0o755);
  const [postgres, nats] = [await startPostgres({ dir: join(dir, 'postgres') }), await startNats({ dir: join(dir, 'nats') })];
  const children = {};
  const stop = async () => {
    const ended = Object.values(children).map((child) => new Promise((resolve) => (child.once('exit', resolve), child.disconnect())));
    await Promise.all(ended);
    await Promise.all([postgres.stop(), nats.stop()]);
    rmSync(dir, { recursive: true, force: true });
  };
  await prepare(postgres.url, nats.url);
  const env = { ...process.env, DATABASE_URL: postgres.url, NATS_URL: nats.url };
  const processes = [
    { name: 'PostgreSQL', ...postgres.process },
    { name: 'NATS', ...nats.process },
  ];
  let port;
  for (const name of Object.keys(roles)) {
    const child = (children[name] = fork(import.meta.filename, ['--role', name], { env }));
    processes.push({ name, pid: child.pid });
    port = (await new Promise((resolve) => child.once('message', resolve))).port ?? port;
  }
  const pool = new Pool(`http://127.0.0.1:${port}`, { connections: PLATFORM_CONNECTIONS });
  const account = {
    inbound: (id, from, text) => ({ messages: [{ from, id, timestamp: '1', type: 'text', text: { body: text } }] }),
    post: async (value) => {
      const entry = [{ id: '1', changes: [{ field: 'messages', value }] }];
      const body = JSON.stringify({ object: 'whatsapp_business_account', entry });
      await (await pool.request({ path: '/', method: 'POST', body })).body.dump();
    },
    /** Its only endpoint creates a webhook. */
    client: async (_method, _path, { url } = {}) => (url && children.dispatcher.send({ webhook: url }), { id: 1 }),
  };
  return Object.assign(new Product(), { name: 'skeleton', account, processes, stop });
}

if (process.argv[2] === '--role') await runRole(process.argv[3]);
