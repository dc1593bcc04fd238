import type { GetUsage, ReplyOf } from '@mgw/contracts';
import { acceptedEvent, rowsRead, startHarness, statusEvent, type Harness } from '@mgw/harness';
import { service } from '../main';
import { RecordsStore } from '../records/records.store';
import { UsageStore } from './usage.store';

type Usage = ReplyOf<typeof GetUsage>['usage'];

describe('usage', () => {
  let harness: Harness;
  let records: RecordsStore;
  let usage: UsageStore;
  beforeEach(async () => {
    harness = await startHarness(service);
    [records, usage] = [new RecordsStore(harness.db), new UsageStore(harness.db)];
  });
  afterEach(() => harness.close());

  const range = (timezone: string) => ({ business_id: 1, from: '2026-01-01', to: '2027-01-01', timezone });
  /** The expected counts, from the messages themselves. */
  const counted = async (timezone: string): Promise<Usage> => {
    const rows = await harness.db.query<Record<string, string>>(
      `SELECT to_char(sent_at AT TIME ZONE $1, 'YYYY-MM-DD') AS day, type AS kind, count(*) FILTER (WHERE accepted) AS sent,
              count(*) FILTER (WHERE accepted AND status IN ('delivered', 'read')) AS delivered, count(*) FILTER (WHERE accepted AND status = 'read') AS read,
              count(*) FILTER (WHERE accepted AND status = 'failed') AS failed, count(*) FILTER (WHERE NOT accepted) AS refused
       FROM status.records WHERE business_id = 1 AND sent_at IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`,
      [timezone],
    );
    return rows.map(({ day, kind, ...counts }) => ({
      ...({ day, kind } as Pick<Usage[number], 'day' | 'kind'>),
      ...(Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, Number(count)])) as Omit<Usage[number], 'day' | 'kind'>),
    }));
  };

  it('matches the messages in every time zone after reordered, repeated and concurrent events, folded or not', async () => {
    const { db } = harness;
    const work: (() => Promise<unknown>)[] = [];
    for (let n = 0; n < 120; n++) {
      const id = `wamid.${n}`;
      const at = new Date(Date.UTC(2026, 9, 1 + (n % 40), n % 24, (n * 7) % 60)).toISOString();
      const event = acceptedEvent(id);
      const accepted = { ...event, at, facts: { ...(event.facts as object), repaired: n % 10 === 0, intent_id: `i${n}` } };
      work.push(() => db.transaction((tx) => records.accept(tx, [accepted] as never)));
      for (const status of ['sent', 'delivered', 'read', 'failed'].slice(0, n % 5))
        work.push(() => db.transaction((tx) => records.advance(tx, [statusEvent(id, status), statusEvent(id, status)] as never)));
      if (n % 10 < 2) {
        const failure = {
          business_id: 1,
          at,
          data: {
            intent_id: `i${n}`,
            to: '919876543210',
            reason: 'no',
            type: 'text',
            template: null,
            text: '',
            sent_by: 'api',
            api_key_id: 1,
          },
        };
        work.push(() => db.transaction((tx) => records.fail(tx, [failure] as never)));
      }
    }
    work.sort(() => Math.random() - 0.5);
    const worker = async () => {
      for (let next = work.pop(); next !== undefined; next = work.pop()) await next();
    };
    await Promise.all(Array.from({ length: 6 }, worker));
    for (let i = 0; i < 3; i++) {
      for (const timezone of ['UTC', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/New_York'])
        expect(await usage.list(range(timezone))).toEqual(await counted(timezone));
      await usage.fold();
    }
    expect(await harness.db.query('SELECT FROM status.usage WHERE NOT folded')).toEqual([]);
    await Promise.all([usage.fold(), usage.fold(), db.transaction((tx) => records.advance(tx, [statusEvent('wamid.1', 'read')] as never))]);
    expect(await usage.list(range('UTC'))).toEqual(await counted('UTC'));
  });

  it('guarantees §10, N2: reads a year of messages from the counts alone', async () => {
    const { db } = harness;
    await db.query(
      `INSERT INTO status.records (business_id, message_id, month, recipient, sent_at, status, rank, type)
       SELECT 1, 'wamid.' || n, date_trunc('month', at), '91', at, 'read', 4, 'text'
       FROM (SELECT n, timestamptz '2026-12-31' - n * interval '10 seconds' AS at FROM generate_series(1, 40000) AS n) made`,
    );
    await db.query('VACUUM ANALYZE');
    expect((await usage.list(range('UTC'))).reduce((sum, { read }) => sum + read, 0)).toBe(40_000);
    const rows = await rowsRead(db, (reading) => new UsageStore(reading).list(range('UTC')));
    expect(rows['records'] ?? 0).toBe(0);
    expect(rows['usage']).toBeLessThanOrEqual(450);
  });
});
