import type { ListMessages, LoggedMessage, RequestOf } from '@mgw/contracts';
import { rowsRead, startHarness, type Harness } from '@mgw/harness';
import { service } from '../main';
import { LogStore } from './log.store';

const MANY = 80_000;
/** Maximum number of rows that one page examines (filtered-page.ts). */
const EXAMINED = 50_000;

type Filter = Partial<RequestOf<typeof ListMessages>>;

describe('guarantees §10, N2: a statement on a large message log reads a bounded number of rows', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness(service);
    await harness.db.query(
      `INSERT INTO status.records (business_id, message_id, month, recipient, sent_at, status, rank, failure_reason, type, template, text)
       SELECT CASE WHEN n % 10 = 0 THEN 2 ELSE 1 END, 'wamid.' || n, date_trunc('month', at), (919800000000 + n / 4)::text, at,
              CASE WHEN n % 20000 = 1 THEN 'failed' ELSE 'read' END, CASE WHEN n % 20000 = 1 THEN 3 ELSE 4 END,
              CASE WHEN n % 20000 = 1 THEN 'because' END, 'text', NULL, 'Hello number ' || n || CASE WHEN n = ${MANY - 1} THEN ' 100% Needle' ELSE '' END
       FROM (SELECT n, now() - n * interval '40 seconds' AS at FROM generate_series(1, ${MANY}) AS n) made`,
    );
    await harness.db.query('INSERT INTO status.record_keys SELECT business_id, message_id, month FROM status.records');
    await harness.db.query('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => harness.close());

  const request = (filter: Filter) => ({ business_id: 1, limit: 20, cursor: null, status: null, phone: null, search: null, ...filter });
  const list = async (filter: Filter) => {
    let found: LoggedMessage[] = [];
    let next: string | null = null;
    const rows = await rowsRead(harness.db, async (db) => {
      ({ messages: found, next_cursor: next } = await new LogStore(db).list(request(filter)));
    });
    return { found, next, rows: rows['records'] ?? 0 };
  };
  const allPages = async (filter: Filter) => {
    const found: LoggedMessage[] = [];
    let pages = 0;
    for (let cursor: string | null = null, first = true; first || cursor !== null; first = false, pages += 1) {
      const page: Awaited<ReturnType<LogStore['list']>> = await new LogStore(harness.db).list(request({ ...filter, cursor }));
      found.push(...page.messages);
      cursor = page.next_cursor;
    }
    return { found, pages };
  };

  it.each<[string, Filter, number]>([
    ['no filter', {}, 600],
    ['a text that all messages contain', { search: 'HELLO' }, 600],
    ['a message id', { search: `wamid.${MANY - 3}` }, 10],
    ['a phone number', { phone: String(919_800_000_000 + 19_999) }, 10],
    ['an unknown phone number', { phone: '4477009' }, 10],
    ['a period', { from: new Date(Date.now() - 86_400_000).toISOString(), to: new Date(Date.now() - 43_200_000).toISOString() }, 600],
    ['a phone number and a text', { phone: String(919_800_000_000 + 19_999), search: 'needle', status: 'read' }, 10],
  ])('%s: reads few rows through an index', async (_, filter, most) => {
    expect((await list(filter)).rows).toBeLessThanOrEqual(most);
  });

  it.each<[string, Filter]>([
    ['a rare status', { status: 'failed' }],
    ['a rare text', { search: 'needle' }],
    ['a text that no message contains', { search: 'nobody wrote this' }],
    ['a character that no message contains', { search: '\u{1f600}' }],
    ['a pattern character', { search: '%' }],
    ['an unknown template', { search: 'order_update' }],
    ['the name of an unknown template', { template: 'order_update' }],
    ['an unknown key', { api_key_id: 7 }],
    ['an unknown sender', { sent_by: 'ai' }],
    ['an unknown type', { type: 'otp' }],
    ['a rare code', { failure_code: 'other' }],
    ['a part of a number', { phone_part: '0019998' }],
  ])('%s: each page examines a bounded number of rows, and the pages together find every match', async (_, filter) => {
    const { rows, next } = await list(filter);
    expect(rows).toBeLessThan(EXAMINED + 2_000);
    expect(next).not.toBeNull();
    const { found, pages } = await allPages(filter);
    const expected = { failed: 4, needle: 1, '%': 1, other: 4, '0019998': 4 }[
      filter.status ?? filter.search ?? filter.failure_code ?? filter.phone_part ?? ''
    ];
    expect(found).toHaveLength(expected ?? 0);
    expect(pages).toBeLessThan(10);
  });

  it('lists each message once over all pages, with and without a phone number', async () => {
    const phone = String(919_800_000_000 + 5);
    expect((await allPages({ phone, limit: 1 })).found.map(({ message_id }) => message_id)).toEqual(['wamid.21', 'wamid.22', 'wamid.23']);
    const { found } = await allPages({ business_id: 2, limit: 100 });
    expect(new Set(found.map(({ message_id }) => message_id)).size).toBe(MANY / 10);
    expect(found).toHaveLength(MANY / 10);
  });
});
