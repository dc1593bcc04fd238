// Measures latency and throughput from the platform's callback to the customer's webhook.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { benchAccount } from './account.mjs';

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** A customer's server that responds at once. */
export async function receiver() {
  const arrived = new Map();
  const received = { count: 0, at: 0 };
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      const id = /"message_id":"([^"]+)"/.exec(body)?.[1];
      received.count += 1;
      received.at = performance.now();
      if (id !== undefined && !arrived.has(id)) arrived.set(id, received.at);
      response.end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, arrived, received, close: () => server.closeAllConnections() };
}

/** @returns measurements by name */
export async function measureWebhooks({ stack, operator, account, rounds, cpu }) {
  const witness = await receiver();
  const webhookAt = (url) => ({ name: 'bench', url, events: ['message.received'] });
  const { id } = await account.client('POST', '/api/client/webhooks', webhookAt(witness.url));
  await pause(500);
  const results = {};
  const latency = async (perSecond, seconds) => {
    const sent = new Map();
    const total = perSecond * seconds;
    const begun = performance.now();
    const posts = [];
    for (let n = 0; n < total; n++) {
      const due = begun + (n * 1_000) / perSecond;
      const wait = due - performance.now();
      if (wait > 0) await pause(wait);
      const message = `wamid.l.${begun}.${n}`;
      sent.set(message, performance.now());
      posts.push(account.post(account.inbound(message, `1204${String(n % 10_000).padStart(7, '0')}`, 'Hi')));
    }
    await Promise.all(posts);
    await settled(() => [...sent.keys()].every((message) => witness.arrived.has(message)));
    const latencies = [...sent].map(([message, at]) => (witness.arrived.get(message) ?? Infinity) - at).sort((a, b) => a - b);
    const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
    return { p50: at(0.5), p99: at(0.99) };
  };
  // Warm up until V8 has compiled the hot code.
  await latency(200, 30);
  for (const [name, perSecond, seconds] of [
    ['webhook → webhook, 10/s', 10, 5],
    ['webhook → webhook, 200/s', 200, 8],
  ]) {
    const measured = [];
    const before = cpu();
    for (let round = 0; round < rounds; round++) measured.push(await latency(perSecond, seconds));
    const thousands = (rounds * perSecond * seconds) / 1_000;
    results[name] = {
      p50: median(measured.map(({ p50 }) => p50)),
      p99: median(measured.map(({ p99 }) => p99)),
      cpuSecondsPerThousand: Object.fromEntries(Object.entries(cpu()).map(([of, used]) => [of, (used - before[of]) / thousands])),
    };
  }
  const webhooks = [id];
  await outbound([account], witness, 4_000, 1);
  for (const count of [1, 4]) {
    while (webhooks.length < count) webhooks.push((await account.client('POST', '/api/client/webhooks', webhookAt(witness.url))).id);
    const name = `outbound deliveries, ${count} ${count === 1 ? 'webhook' : 'webhooks'}`;
    const measured = [];
    for (let round = 0; round < rounds; round++) measured.push(await outbound([account], witness, 4_000, count));
    results[name] = {
      perSecond: median(measured.map(({ perSecond }) => perSecond)),
      note: measured.map(({ arrived }) => `${arrived} of 4000`).join(', ') + ' arrived; from the first webhook in to the last one out',
    };
  }
  results['webhook → webhook, 10/s, beside 100 receivers that hang'] = await measureBesideHanging({ stack, operator, latency });
  for (const webhook of webhooks) await account.client('DELETE', `/api/client/webhooks/${webhook}`);
  results['platform updates, to the end'] = await updates(stack, account, 20_000);
  witness.close();
  return results;
}

/** Measures one customer while five businesses have twenty webhooks each that never respond. */
async function measureBesideHanging({ stack, operator, latency }) {
  const sockets = new Set();
  const black = createServer(() => {}).on('connection', (socket) => sockets.add(socket));
  await new Promise((resolve) => black.listen(0, '127.0.0.1', resolve));
  const hanging = [];
  for (let nth = 1; nth <= 5; nth++) {
    const business = await benchAccount(stack, operator, 0, nth);
    for (let i = 0; i < 20; i++) {
      const url = `http://127.0.0.1:${black.address().port}/${nth}/${i}`;
      await business.client('POST', '/api/client/webhooks', { name: 'hangs', url, events: ['message.received'] });
    }
    hanging.push(business);
  }
  let n = 0;
  const timer = setInterval(() => {
    for (const business of hanging) void business.post(business.inbound(`wamid.h.${n}`, `1207${String((n += 1)).padStart(7, '0')}`, 'Hi'));
  }, 200);
  await pause(3_000);
  const measured = await latency(10, 10);
  clearInterval(timer);
  black.close();
  for (const socket of sockets) socket.destroy();
  return { ...measured, note: `25 events a second to 20 of them each` };
}

/** Customers' messages in big batches, so that the dispatcher is the bottleneck. */
export async function outbound(accounts, witness, deliveries, webhooks) {
  const before = witness.received.count;
  const stamp = Date.now();
  const begun = performance.now();
  const events = deliveries / webhooks / accounts.length;
  const size = Math.min(500, events);
  for (let from = 0; from < events; from += size)
    for (const account of accounts) {
      const some = Array.from({ length: size }, (_, i) => `1205${String(from + i).padStart(7, '0')}`);
      const messages = some.flatMap((phone) => account.inbound(`wamid.o.${stamp}.${account.businessId}.${phone}`, phone, 'Hi').messages);
      await account.post({ contacts: some.map((phone) => ({ profile: { name: 'B' }, wa_id: phone })), messages });
    }
  const done = () => witness.received.count - before;
  await settled(() => done() >= deliveries);
  const took = (witness.received.at - begun) / 1_000;
  return { perSecond: done() / took, arrived: done() };
}

/** Statuses in big callbacks, until all are recorded. */
async function updates(stack, account, count) {
  const stamp = Date.now();
  const begun = performance.now();
  const posts = [];
  for (let from = 0; from < count; from += 200) {
    const statuses = Array.from({ length: 200 }, (_, i) => ({
      id: `wamid.u.${stamp}.${from + i}`,
      status: 'delivered',
      timestamp: String(Math.floor(stamp / 1_000)),
      recipient_id: `1206${String(from + i).padStart(7, '0')}`,
    }));
    posts.push(await account.post({ statuses }));
  }
  const accepted = (performance.now() - begun) / 1_000;
  const recorded = async () => {
    const { default: pg } = await import('pg');
    const db = new pg.Client({ connectionString: stack.databaseUrl });
    await db.connect();
    try {
      for (const end = Date.now() + 60_000; Date.now() < end; await pause(50)) {
        const { rows } = await db.query('SELECT count(*)::int AS n FROM status.history WHERE message_id LIKE $1', [`wamid.u.${stamp}.%`]);
        if (rows[0].n >= count) return rows[0].n;
      }
      return 0;
    } finally {
      await db.end();
    }
  };
  const done = await recorded();
  const took = (performance.now() - begun) / 1_000;
  return { perSecond: done / took, note: `accepted at ${Math.round(count / accepted)}/s` };
}

async function settled(condition, withinMs = 60_000) {
  for (const end = Date.now() + withinMs; Date.now() < end; await pause(20)) if (condition()) return;
}
