import type { ConversationRecord, ResponseOf } from '@mgw/contracts';
import { ListConversations, MAX_COUNT } from '@mgw/contracts';
import { rowsRead, startHarness, type Harness } from '@mgw/harness';
import { service } from '../main';
import { SuppressionStore } from '../suppression/suppression.store';
import { InboxStore } from './inbox.store';
import { ThreadStore } from './thread.store';

const MANY = 60_000;
/** Maximum rows that a page examines (filtered-page.ts). */
const EXAMINED = 50_000;
/** Rows that the counts of the views read: those that are open. */
const COUNTED = MAX_COUNT;

/** guarantees §10, N2: a search reads a bounded number of rows, whatever its text. */
describe('lists of a business with many conversations', () => {
  let harness: Harness;
  let inbox: InboxStore;
  let threads: ThreadStore;

  beforeAll(async () => {
    harness = await startHarness(service);
    const { db } = harness;
    inbox = new InboxStore(db);
    threads = new ThreadStore(db);
    await db.query(
      `INSERT INTO send.conversations (id, business_id, phone, name, first_inbound_at, last_inbound_at, created_at)
       SELECT n, 1, (919800000000 + n)::text, 'Person ' || n, at, at, at
       FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, ${MANY}) AS n) made`,
    );
    await db.query(`UPDATE send.conversations SET name = 'Åsa Ravi  Kumar-Patel' WHERE id = ${MANY - 1}`);
    await db.query(`UPDATE send.conversations SET name = 'Ravina 100% _x_' WHERE id = ${MANY - 2}`);
    await db.query(`INSERT INTO send.conversation_aliases SELECT business_id, phone, id FROM send.conversations`);
    // Add a person of the same name to another business.
    await db.query(
      `INSERT INTO send.conversations (id, business_id, phone, name, last_inbound_at) VALUES (${MANY + 1}, 2, '15550001', 'Ravi Other', now())`,
    );
    await db.query(`INSERT INTO send.conversation_aliases VALUES (2, '15550001', ${MANY + 1})`);
    await db.query(
      `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at)
       SELECT 1, 'wamid.' || n, CASE WHEN n <= 20000 THEN 1 ELSE n END, 'text', 'Hi', now() - n * interval '1 minute' FROM generate_series(1, ${MANY}) AS n`,
    );
    await db.query(
      `INSERT INTO send.suppressions (business_id, conversation_id, source, state, at)
       SELECT 1, n, source, CASE source WHEN 'dashboard' THEN 'blocked' ELSE 'opted_out' END, now() - n * interval '1 second'
       FROM generate_series(1, 20000) AS n CROSS JOIN (VALUES ('person'), ('dashboard')) sources (source)`,
    );
    await db.query('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => harness.close());

  const page = (search: string | null, { cursor = null as string | null, limit = 20, business_id = 1 } = {}) =>
    inbox.list({ business_id, limit, cursor, search });
  const names = async (search: string, business_id = 1) =>
    (await page(search, { business_id })).conversations.map(({ customer_name }) => customer_name);
  const read = async (search: string | null) => {
    let found: ResponseOf<typeof ListConversations> | undefined;
    const rows = await rowsRead(harness.db, async (db) => {
      found = await new InboxStore(db).list({ business_id: 1, limit: 20, cursor: null, search });
    });
    return { rows: rows['conversations'] ?? 0, messages: rows['inbound_messages'] ?? 0, found: found?.conversations ?? [] };
  };

  it('finds a number by any part, in any notation', async () => {
    const phone = String(919_800_000_000 + MANY - 5);
    for (const search of [
      phone,
      `+${phone}`,
      `+91 98000-${phone.slice(7)}`,
      `0${phone.slice(2)}`,
      phone.slice(-9),
      phone.slice(1),
      ` ${phone} `,
    ]) {
      const { conversations } = await page(search);
      expect([search, conversations.map(({ customer_phone }) => customer_phone)]).toEqual([search, [phone]]);
    }
    const middle = (await page('8000599', { limit: 100 })).conversations;
    expect(middle.map(({ customer_phone }) => customer_phone)).toEqual(Array.from({ length: 100 }, (_, i) => String(919_800_059_900 + i)));
  });

  it('finds a name by the beginning of its words, ignoring case and spaces, within the business only', async () => {
    expect(await names('ravi')).toEqual(['Ravina 100% _x_', 'Åsa Ravi  Kumar-Patel']);
    expect(await names('RAVI ')).toHaveLength(2);
    expect(await names('ravi', 2)).toEqual(['Ravi Other']);
    expect(await names('asa')).toEqual([]);
    expect(await names('Kumar')).toEqual(['Åsa Ravi  Kumar-Patel']);
  });

  it('finds a changed name by its new words only', async () => {
    const rename = (name: string) => harness.db.query('UPDATE send.conversations SET name = $1 WHERE id = 77', [name]);
    await rename('Zebedee Q');
    expect(await names('zebedee')).toEqual(['Zebedee Q']);
    await rename('Person 77');
    expect(await names('zebedee')).toEqual([]);
    expect(await names('person 77')).toContain('Person 77');
  });

  it('finds words of messages of either side, the newest message of each conversation, within the business only', async () => {
    const found = async (search: string, business_id = 1) =>
      (await page(search, { business_id })).conversations.map((one) => [one.customer_name, one.found?.text]);
    await harness.db.query(
      `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, caption, sent_at) VALUES
         (1, 'wamid.w1', 50, 'text', 'Where is my order?', NULL, now() - interval '2 days'),
         (1, 'wamid.w2', 50, 'text', 'My ORDER-771234 is late…', NULL, now() - interval '1 day'),
         (1, 'wamid.w3', 51, 'image', NULL, 'late order', now() - interval '40 days'),
         (1, 'wamid.w4', 52, 'text', 'late order, deleted', NULL, now()),
         (1, 'wamid.w5', 53, 'text', $1, NULL, now()),
         (2, 'wamid.w6', ${MANY + 1}, 'text', 'another late order', NULL, now())`,
      [`${'x'.repeat(3_000)} ${'y '.repeat(80)} order ${'z'.repeat(900)}`],
    );
    await harness.db.query(
      `INSERT INTO send.message_changes (business_id, message_id, changed_at, deleted_at) VALUES (1, 'wamid.w4', now(), now())`,
    );
    await harness.db.query(
      `INSERT INTO send.intents (id, business_id, state, recipient, type, sent_by, text, message_id, created_at)
       SELECT gen_random_uuid(), 1, 'accepted', phone, 'text', CASE id WHEN 54 THEN 'agent' ELSE 'broadcast' END, 'Your order is not late', 'wamid.o' || id, now()
       FROM send.conversations WHERE id IN (54, 55)`,
    );
    expect(await found('late order')).toEqual([
      ['Person 50', 'My ORDER-771234 is late…'],
      ['Person 51', 'late order'],
      ['Person 54', 'Your order is not late'],
    ]);
    expect(await found('order 771234')).toEqual([['Person 50', 'My ORDER-771234 is late…']]);
    expect(await found('771234')).toEqual([['Person 50', 'My ORDER-771234 is late…']]);
    expect((await found('ord')).map(([name]) => name)).toEqual(['Person 50', 'Person 51', 'Person 53', 'Person 54']);
    expect((await found('y order'))[0]?.[1]).toHaveLength(160);
    expect(await found('lat order')).toEqual([]);
    expect(await found('order', 2)).toEqual([['Ravi Other', 'another late order']]);
    await harness.db.query(`DELETE FROM send.inbound_messages WHERE message_id = 'wamid.w2'`);
    expect(await found('771234')).toEqual([]);
  });

  it('lists people with a matching name or number before messages, over all pages', async () => {
    await harness.db.query(
      `INSERT INTO send.inbound_messages (business_id, message_id, conversation_id, type, text, sent_at)
       SELECT 1, 'wamid.r' || n, n, 'text', 'For Ravina, please', now() FROM generate_series(60, 64) AS n`,
    );
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { conversations, next_cursor } = await page('ravi', { limit: 2, cursor });
      seen.push(...conversations.map(({ customer_name }) => customer_name));
      cursor = next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(['Ravina 100% _x_', 'Åsa Ravi  Kumar-Patel', ...[60, 61, 62, 63, 64].map((n) => `Person ${n}`)]);
  });

  it.each(['%', '_', '\\', "'", '.*', '(', '100%', '\u{1f600}', '+', '-', ' ', '"]'])('searches for %j literally', async (search) => {
    const { conversations } = await page(search, { limit: 100 });
    const expected = search.trim() === '' ? 100 : ['100%', '_'].includes(search) ? 1 : 0;
    expect(conversations).toHaveLength(expected);
  });

  it.each([
    ['a number', String(919_800_000_000 + MANY - 5), 10],
    ['the end of a number', String(MANY - 5), 10],
    ['a rare word', 'kumar', 10],
    ['a frequent word and a rare one', 'person 59987', 10],
    ['a rare word and a frequent one', 'zoe person', 10],
    ['a word without match', 'nobody', 10],
    ['digits without match', '4477009', 10],
    ['no search', null, 600],
    ['one letter of every name', 'p', 1_200],
    ['digits of every number', '91', 1_200],
    ['one letter of no name', 'x', 10],
  ])('reads a few rows by an index: %s', async (_, search, most) => {
    const { rows, messages } = await read(search);
    expect(rows).toBeLessThanOrEqual(most + COUNTED);
    // The last message of each conversation may be in any month's partition.
    expect(messages).toBeLessThanOrEqual(200);
  });

  it('decision 688: PostgreSQL inlines the functions of indexes; it would plan others for every statement that writes', async () => {
    const { db } = harness;
    const functions = await db.query<{ name: string }>(
      `SELECT DISTINCT p.oid::regproc::text AS name FROM pg_depend d
       JOIN pg_class i ON d.classid = 'pg_class'::regclass AND i.oid = d.objid AND i.relkind IN ('i', 'I')
       JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
       JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'sql'
       WHERE p.pronamespace = 'send'::regnamespace ORDER BY 1`,
    );
    expect(functions.map(({ name }) => name)).toEqual(['send.number_triples', 'send.words']);
    for (const { name } of functions) {
      const plan = await db.query<object>(`EXPLAIN (VERBOSE, COSTS OFF) SELECT ${name}(business_id, alias) FROM send.conversation_aliases`);
      expect(JSON.stringify(plan)).not.toContain(name);
    }
  });

  it('scans a bounded number of conversations per page when the indexes find too many', async () => {
    const search = 'person 5';
    const { rows } = await read(search);
    expect(rows).toBeLessThan(EXAMINED + 2_000 + COUNTED);
    const found: ConversationRecord[] = [];
    let pages = 0;
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false, pages += 1) {
      const { conversations, next_cursor } = await page(search, { cursor, limit: 100 });
      found.push(...conversations);
      cursor = next_cursor;
    }
    expect(found.map(({ customer_name }) => customer_name)).toEqual(
      Array.from({ length: MANY - 3 }, (_, i) => i + 1)
        .filter((n) => String(n).startsWith('5'))
        .map((n) => `Person ${n}`),
    );
    expect(pages).toBeLessThan(found.length / 100 + 5);
  });

  it('reads only the rows of a page from a thread of 20,000 messages', async () => {
    for (const cursor of [null, (await threads.page({ business_id: 1, limit: 50, cursor: null }, 1)).next_cursor]) {
      const rows = await rowsRead(harness.db, (db) => new ThreadStore(db).page({ business_id: 1, limit: 50, cursor }, 1));
      expect(rows['inbound_messages']).toBeLessThanOrEqual(60 * 20);
    }
  });

  it('reads a few rows for a page of suppressions', async () => {
    const first = await new SuppressionStore(harness.db).list(1, 20, null);
    expect(first.page.map(({ state }) => state)).toEqual(Array(20).fill('blocked'));
    for (const cursor of [null, first.next_cursor]) {
      const rows = await rowsRead(harness.db, (db) => new SuppressionStore(db).list(1, 20, cursor));
      expect(rows['suppressions']).toBeLessThanOrEqual(4_000);
    }
  });
});
