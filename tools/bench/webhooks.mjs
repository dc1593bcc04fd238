// Measures latency and throughput from the platform's callback to the customer's webhook.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { benchAccount } from './account.mjs';
import { alternate, cpuPerThousand, median, sum } from './product.mjs';

const PACES = [
  ['webhook → webhook, 10/s', 10, 5],
  ['webhook → webhook, 200/s', 200, 8],
];
const WARM_UP_SECONDS = 20;
/** Deliveries and status updates of one measured round. */
const DELIVERIES = 4_000;
const UPDATES = 10_000;

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

/** Starts a witness of each product, and warms the products up until V8 has compiled the hot code. */
async function warmWitnesses(products) {
  const witnesses = new Map();
  for (const product of products) witnesses.set(product, await Witness.start(product));
  for (const witness of witnesses.values()) await witness.latency(200, WARM_UP_SECONDS);
  return witnesses;
}

/** Adds the metrics of callbacks and webhooks to each product's results. */
export async function measureWebhooks({ products, rounds }) {
  const witnesses = await warmWitnesses(products);
  const add = (product, name, measured) => (product.results[name] = measured);
  for (const [name, perSecond, seconds] of PACES) {
    const measured = await alternate(products, rounds, (product) =>
      product.counting(() => witnesses.get(product).latency(perSecond, seconds)),
    );
    for (const product of products) {
      const counted = measured.get(product);
      const [p50, p99] = ['p50', 'p99'].map((name) => median(counted.map(({ result }) => result[name])));
      add(product, name, { p50, p99, cpu: cpuPerThousand(counted, rounds * perSecond * seconds) });
    }
  }
  for (const product of products) await witnesses.get(product).deliver(1);
  for (const count of [1, 4]) {
    for (const witness of witnesses.values()) await witness.subscribe(count);
    const measured = await alternate(products, rounds, (product) => witnesses.get(product).deliver(count));
    for (const product of products) {
      const rows = measured.get(product);
      add(product, `outbound deliveries, ${count} ${count === 1 ? 'webhook' : 'webhooks'}`, {
        perSecond: median(rows.map(({ perSecond }) => perSecond)),
        note: `${rows.map(({ arrived }) => arrived).join(', ')} of ${DELIVERIES} arrived`,
      });
    }
  }
  const hanging = new Map();
  for (const product of products) hanging.set(product, await Hanging.start(product));
  const whileHanging = await alternate(products, rounds, (product) =>
    hanging.get(product).during(() => witnesses.get(product).latency(10, 10)),
  );
  for (const product of products) {
    const [p50, p99, most] = ['p50', 'p99', 'most'].map((name) => median(whileHanging.get(product).map((round) => round[name])));
    const note = '25 events a second to 20 of them each';
    add(product, 'webhook → webhook, 10/s, with 100 receivers that hang', { p50, p99, most, note });
    hanging.get(product).close();
  }
  for (const witness of witnesses.values()) await witness.close();
  const updated = await alternate(products, rounds, (product) => updates(product, UPDATES));
  for (const product of products) {
    const rows = updated.get(product);
    add(product, 'platform updates, to the end', {
      perSecond: median(rows.map(({ perSecond }) => perSecond)),
      note: `accepted at ${rows.map(({ accepted }) => accepted).join(', ')}/s`,
    });
  }
}

/**
 * Measures messages during a load that keeps one core busy, and a rate that the product must keep up with for a minute. A bare skeleton of
 * the durable steps shows what the machine allows.
 */
export async function measurePace({ products, skeleton, rounds }) {
  const measured = [...products, skeleton];
  const witnesses = await warmWitnesses(measured);
  const withBusyCore = async (product) => {
    const busy = spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' });
    try {
      return await witnesses.get(product).latency(200, 15);
    } finally {
      busy.kill('SIGKILL');
    }
  };
  const whileBusy = await alternate(measured, rounds, withBusyCore);
  const [perSecond, seconds] = [500, 60];
  const minutes = await alternate(measured, 1, (product) => product.counting(() => witnesses.get(product).latency(perSecond, seconds)));
  const [busy, minute] = ['webhook → webhook, 200/s with a busy core', 'webhook → webhook, 500/s for a minute'];
  for (const product of measured) {
    const [p50, p99] = ['p50', 'p99'].map((name) => median(whileBusy.get(product).map((result) => result[name])));
    product.results[busy] = { p50, p99 };
    const [{ p99: ofAll, most }] = minutes.get(product).map(({ result }) => result);
    product.results[minute] = { p99: ofAll, most, cpu: cpuPerThousand(minutes.get(product), perSecond * seconds) };
  }
  for (const { results } of products) for (const name of [busy, minute]) results[`${name}, skeleton`] = skeleton.results[name];
  for (const witness of witnesses.values()) await witness.close();
}

/** Compares the CPU of a customer's message with that of a bare skeleton, which has the same durable steps and nothing else. */
export async function measureFloor({ products, skeleton, rounds }) {
  const [name, perSecond, seconds] = PACES[1];
  const measured = [...products, skeleton];
  const witnesses = await warmWitnesses(measured);
  const all = await alternate(measured, rounds, (product) => product.counting(() => witnesses.get(product).latency(perSecond, seconds)));
  for (const product of measured) {
    const p50 = median(all.get(product).map(({ result }) => result.p50));
    product.results[name] = { p50, cpu: cpuPerThousand(all.get(product), rounds * perSecond * seconds) };
  }
  const floor = skeleton.results[name];
  for (const { results } of products) {
    results[`${name}, skeleton`] = floor;
    results[`${name}, CPU`] = { ratio: sum(results[name].cpu) / sum(floor.cpu) };
  }
  for (const witness of witnesses.values()) await witness.close();
}

/** A customer's server with webhooks of one product. */
class Witness {
  static async start({ account }) {
    const witness = Object.assign(new Witness(), { account, ids: [], server: await receiver() });
    await witness.subscribe(1);
    await pause(500);
    return witness;
  }

  /** Adds webhooks until there are `count`. */
  async subscribe(count) {
    const webhook = { name: 'bench', url: this.server.url, events: ['message.received'] };
    while (this.ids.length < count) this.ids.push((await this.account.client('POST', '/api/client/webhooks', webhook)).id);
  }

  /** Measures from the platform's callback to the arrival of its event, in milliseconds. */
  async latency(perSecond, seconds) {
    const { account, server } = this;
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
    await settled(() => [...sent.keys()].every((message) => server.arrived.has(message)));
    const latencies = [...sent].map(([message, at]) => (server.arrived.get(message) ?? Infinity) - at).sort((a, b) => a - b);
    const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
    return { p50: at(0.5), p99: at(0.99), most: at(1) };
  }

  deliver(webhooks) {
    return outbound([this.account], this.server, DELIVERIES, webhooks);
  }

  async close() {
    for (const id of this.ids) await this.account.client('DELETE', `/api/client/webhooks/${id}`);
    this.server.close();
  }
}

/** Five businesses that have twenty webhooks each whose server never responds. */
class Hanging {
  static async start({ siteUrl, operator }) {
    const hanging = Object.assign(new Hanging(), { sockets: new Set(), businesses: [], messages: 0 });
    hanging.server = createServer(() => {}).on('connection', (socket) => hanging.sockets.add(socket));
    await new Promise((resolve) => hanging.server.listen(0, '127.0.0.1', resolve));
    for (let nth = 1; nth <= 5; nth++) {
      const business = await benchAccount({ siteUrl }, operator, 0, nth);
      for (let i = 0; i < 20; i++) {
        const url = `http://127.0.0.1:${hanging.server.address().port}/${nth}/${i}`;
        await business.client('POST', '/api/client/webhooks', { name: 'hangs', url, events: ['message.received'] });
      }
      hanging.businesses.push(business);
    }
    return hanging;
  }

  /** Runs `act` while their customers write. */
  async during(act) {
    const timer = setInterval(() => {
      for (const business of this.businesses)
        void business.post(business.inbound(`wamid.h.${this.messages}`, `1207${String((this.messages += 1)).padStart(7, '0')}`, 'Hi'));
    }, 200);
    await pause(3_000);
    const measured = await act();
    clearInterval(timer);
    return measured;
  }

  close() {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }
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
async function updates({ databaseUrl, account }, count) {
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
    const db = new pg.Client({ connectionString: databaseUrl });
    await db.connect();
    try {
      for (const end = Date.now() + 60_000; Date.now() < end; await pause(50)) {
        const { rows } = await db.query('SELECT count(*)::int AS n FROM status.history WHERE business_id = $1 AND message_id LIKE $2', [
          account.businessId,
          `wamid.u.${stamp}.%`,
        ]);
        if (rows[0].n >= count) return rows[0].n;
      }
      return 0;
    } finally {
      await db.end();
    }
  };
  const done = await recorded();
  const took = (performance.now() - begun) / 1_000;
  return { perSecond: done / took, accepted: Math.round(count / accepted) };
}

async function settled(condition, withinMs = 60_000) {
  for (const end = Date.now() + withinMs; Date.now() < end; await pause(20)) if (condition()) return;
}
