// Measures the cost of many idle businesses and many webhooks.
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { benchAccount, connect, openKey, withCookie } from './account.mjs';
import { median, sum } from './product.mjs';
import { load } from './sends.mjs';
import { outbound, receiver } from './webhooks.mjs';

const BUSINESSES = 1_000;
const CONNECTIONS = 64;

/** Adds the metrics with more businesses and webhooks to the product's results. */
export async function measureGrowth({ product, rounds, seconds }) {
  const { operator, account, results } = product;
  const total = () => sum(product.cpu());
  const send = (keys) =>
    load({
      origin: product.siteUrl,
      path: '/api/v1/send-template',
      keys,
      connections: CONNECTIONS,
      seconds,
      kind: 'template',
    });
  const sends = async (name, keys) => {
    const [before, measured] = [total(), []];
    for (let round = 0; round < rounds; round++) {
      measured.push(await send(keys));
      // Count the work that follows a send too.
      await pause(1_000);
    }
    const sent = sum(measured.map((round) => round.sent));
    results[`send-template × ${CONNECTIONS}, ${name}`] = {
      ...Object.fromEntries(['perSecond', 'p50', 'p99'].map((name) => [name, median(measured.map((round) => round[name]))])),
      note: `CPU ${(((total() - before) / sent) * 1_000).toFixed(2)} s for 1,000`,
    };
  };
  // Warm up until V8 has compiled the hot code.
  await send(account.keys);
  await send(account.keys);
  await sends('the only business', account.keys);
  const all = [...account.keys.slice(0, 1), ...(await moreBusinesses(product, operator, BUSINESSES - 1))];
  await send(all);
  await sends(`one of ${BUSINESSES} businesses`, account.keys);
  await sends(`${BUSINESSES} businesses`, all);

  const witness = await receiver();
  const webhook = { name: 'bench', url: witness.url, events: ['message.received'] };
  const measure = async (name, accounts, webhooks) => {
    const [before, measured] = [total(), []];
    for (let round = 0; round < rounds; round++) measured.push(await outbound(accounts, witness, 4_000, webhooks));
    results[`outbound deliveries, ${name}`] = {
      perSecond: median(measured.map(({ perSecond }) => perSecond)),
      note: `CPU ${(((total() - before) / rounds / 4_000) * 1_000).toFixed(2)} s for 1,000; ${measured.map(({ arrived }) => arrived).join(', ')} arrived`,
    };
  };
  await account.client('POST', '/api/client/webhooks', webhook);
  await pause(500);
  await outbound([account], witness, 4_000, 1);
  await measure('the only webhook', [account], 1);
  const five = [];
  for (let nth = 1; nth <= 5; nth++) {
    const business = await benchAccount(product, operator, 0, nth);
    for (let i = 0; i < 20; i++) await business.client('POST', '/api/client/webhooks', webhook);
    five.push(business);
  }
  await measure('one of 101 webhooks', [account], 1);
  await measure('100 webhooks, 20 of each event', five, 20);
  witness.close();
}

/**
 * Creates businesses with a number, a key and templates. Inserts owners and sessions by SQL, because hashing a thousand passwords takes minutes.
 * @returns their keys
 */
async function moreBusinesses({ siteUrl, databaseUrl }, operator, count) {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  try {
    const tokens = Array.from({ length: count }, () => randomBytes(32).toString('base64url'));
    await db.query(
      `WITH made AS (
         INSERT INTO access.businesses (name, plan, timezone) SELECT 'Bench', 'Pro', 'UTC' FROM generate_series(1, $1) RETURNING id
       ), owners AS (
         INSERT INTO access.users (business_id, email, name, role, password_hash)
         SELECT id, 'bench-' || id || '@bench.example', 'Bench', 'owner', '' FROM made RETURNING id
       )
       INSERT INTO access.sessions (token_hash, user_id)
       SELECT hash, id FROM (SELECT id, row_number() OVER () AS nth FROM owners) o
       JOIN unnest($2::bytea[]) WITH ORDINALITY AS t (hash, nth) USING (nth)`,
      [count, tokens.map((token) => createHash('sha256').update(token).digest())],
    );
    const keys = [];
    const work = tokens.map((token, i) => async () => {
      const client = withCookie(siteUrl, `token=${token}`);
      await connect(client, `7001002004${String(i).padStart(5, '0')}`);
      keys.push(await openKey(client, operator, 'Bench'));
    });
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let next = work.pop(); next !== undefined; next = work.pop()) await next();
      }),
    );
    for (const end = Date.now() + 120_000; Date.now() < end; await pause(200)) {
      const { rows } = await db.query('SELECT count(DISTINCT business_id)::int AS n FROM template.templates');
      if (rows[0].n > count) return keys;
    }
    throw new Error('the templates of all businesses were not read in two minutes');
  } finally {
    await db.end();
  }
}
