import type { CountMessages, GetUsage, ResponseOf, RequestOf } from '@mgw/contracts';
import { acceptedEvent, rowsRead, startHarness, statusEvent, type Harness } from '@mgw/harness';
import { CostsStore } from '../costs/costs.store';
import { service } from '../main';
import { RecordsStore } from '../records/records.store';
import { UsageStore } from './usage.store';

type Usage = ResponseOf<typeof GetUsage>['usage'];

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

  /** The expected counts of delivered messages, from the messages themselves. */
  const billed = (timezone: string) =>
    harness.db.query(
      `SELECT to_char(sent_at AT TIME ZONE $1, 'YYYY-MM-DD') AS day, category, price_type AS type, billable, count(*)::integer AS count
       FROM status.records WHERE business_id = 1 AND sent_at IS NOT NULL AND category IS NOT NULL AND status IN ('delivered', 'read')
       GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4`,
      [timezone],
    );

  /** Counts by sender and by code of all bars. */
  const bySender = async (filter: Partial<RequestOf<typeof CountMessages>>) => {
    const period = { from: '2026-01-01T00:00:00.000Z', to: '2027-01-01T00:00:00.000Z', previous: null };
    const { bars, failures } = await usage.count({ business_id: 1, ...period, timezone: 'Asia/Kathmandu', bar_minutes: 1_440, ...filter });
    const senders: Record<string, number> = {};
    for (const { counts } of bars)
      for (const { sent_by, sent, refused } of counts) senders[sent_by ?? ''] = (senders[sent_by ?? ''] ?? 0) + sent + refused;
    return { senders, failures: Object.fromEntries(failures.map(({ failure_code, count }) => [failure_code, count])) };
  };
  /** The same from the messages themselves, for the condition of a log's filter. */
  const fromMessages = async (condition: string) => {
    const grouped = async (column: string) => {
      const rows = await harness.db.query<{ name: string; count: number }>(
        `SELECT ${column} AS name, count(*)::integer AS count FROM status.records
         WHERE business_id = 1 AND sent_at IS NOT NULL AND ${condition} AND ${column} IS NOT NULL GROUP BY 1`,
      );
      return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
    };
    return { senders: await grouped('sent_by'), failures: await grouped(`status.failure_code(status, failure_reason)`) };
  };

  it('decision 604: counts every code of failure', async () => {
    await harness.db.query(
      `INSERT INTO status.usage (business_id, bucket, kind, failure_code, sent, delivered, read, failed, refused)
       SELECT 1, '2026-05-05', 'text', (131000 + n)::text, 1, 0, 0, 1, 0 FROM generate_series(1, 40) AS n`,
    );
    expect(Object.keys((await bySender({})).failures)).toHaveLength(40);
  });

  it('decision 23a: counts unclear sends under a reason of their own', async () => {
    const unclear = {
      business_id: 1,
      at: '2026-05-05T10:00:00.000Z',
      data: {
        ...{ intent_id: 'i1', to: '919876543210', type: 'text', template: null, text: '', sent_by: 'api', api_key_id: 1 },
        reason: 'OUTCOME_UNKNOWN: WhatsApp gave no clear response, so the message may have been sent.',
      },
    };
    await harness.db.transaction((tx) => records.fail(tx, [unclear] as never));
    const period = {
      from: '2026-05-05T00:00:00.000Z',
      to: '2026-05-06T00:00:00.000Z',
      previous: null,
      timezone: 'UTC',
      bar_minutes: 1_440,
    };
    expect((await usage.count({ business_id: 1, ...period })).failures).toEqual([
      {
        failure_code: 'OUTCOME_UNKNOWN',
        reason: 'WhatsApp gave no clear response, so the message may have been sent',
        hint: 'It counts as sent once WhatsApp reports on it.',
        count: 1,
      },
    ]);
  });

  it('matches the messages in every time zone after reordered, repeated and concurrent events, folded or not', async () => {
    const { db } = harness;
    const work: (() => Promise<unknown>)[] = [];
    for (let n = 0; n < 120; n++) {
      const id = `wamid.${n}`;
      const at = new Date(Date.UTC(2026, 9, 1 + (n % 40), n % 24, (n * 7) % 60)).toISOString();
      const event = acceptedEvent(id);
      const facts = { ...(event.facts as object), repaired: n % 10 === 0, intent_id: `i${n}`, template: n % 3 ? 'order_update' : null };
      const accepted = { ...event, at, facts, data: { ...event.data, sent_by: n % 2 ? 'api' : 'broadcast' } };
      const error = n % 4 ? { code: 131026, text: 'No' } : null;
      work.push(() => db.transaction((tx) => records.accept(tx, [accepted] as never)));
      const pricing = { billable: n % 2 === 0, category: n % 7 ? 'service' : 'utility', type: 'regular' };
      for (const [i, status] of ['sent', 'delivered', 'read', 'failed'].slice(0, n % 5).entries()) {
        const said = { error, ...((n + i) % 3 > 0 && { pricing }) };
        work.push(() =>
          db.transaction((tx) => records.advance(tx, [statusEvent(id, status, said), statusEvent(id, status, said)] as never)),
        );
      }
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
        expect([await usage.list(range(timezone)), await new CostsStore(db).billing(range(timezone))]).toEqual([
          await counted(timezone),
          await billed(timezone),
        ]);
      for (const [filter, condition] of [
        [{}, 'true'],
        [{ sent_by: 'broadcast', template: 'order_update' }, `sent_by = 'broadcast' AND template = 'order_update'`],
        [{ failure_code: '131026', type: 'text' }, `failure_reason LIKE '131026: %' AND type = 'text'`],
        [{ api_key_id: 2 }, 'api_key_id = 2'],
      ] as const)
        expect([filter, await bySender(filter)]).toEqual([filter, await fromMessages(condition)]);
      await usage.fold();
    }
    for (const table of ['usage', 'billing']) expect(await harness.db.query(`SELECT FROM status.${table} WHERE NOT folded`)).toEqual([]);
    expect((await billed('UTC')).length).toBeGreaterThan(20);
    await Promise.all([usage.fold(), usage.fold(), db.transaction((tx) => records.advance(tx, [statusEvent('wamid.1', 'read')] as never))]);
    expect(await usage.list(range('UTC'))).toEqual(await counted('UTC'));
  });

  it('decision 440: counts in bars of the business’s zone, empty ones too, and the period before', async () => {
    const accept = (id: string, at: string) => harness.db.transaction((tx) => records.accept(tx, [{ ...acceptedEvent(id), at }] as never));
    // Midnight in Kolkata is at 18:30 UTC.
    for (const [i, at] of ['2026-01-01T18:29:00.000Z', '2026-01-01T18:31:00.000Z', '2026-01-03T10:00:00.000Z'].entries())
      await accept(`wamid.${i}`, at);
    const counted = await usage.count({
      business_id: 1,
      from: '2026-01-01T18:30:00.000Z',
      to: '2026-01-04T18:30:00.000Z',
      previous: { from: '2025-12-29T18:30:00.000Z', to: '2026-01-01T18:30:00.000Z' },
      timezone: 'Asia/Kolkata',
      bar_minutes: 1_440,
    });
    const one = [{ sent_by: 'api', sent: 1, delivered: 0, read: 0, failed: 0, refused: 0 }];
    expect(counted.bars).toEqual([
      { at: '2026-01-01T18:30:00.000Z', counts: one },
      { at: '2026-01-02T18:30:00.000Z', counts: one },
      { at: '2026-01-03T18:30:00.000Z', counts: [] },
    ]);
    expect(counted.previous).toEqual({ sent: 1, delivered: 0, read: 0, failed: 0, refused: 0 });
  });

  it('additions §9: counts the templates of seven days, each business its own', async () => {
    const sends = [
      ...[0, 5, 8].map((days) => ({ days, template: 'order', business_id: 1 })),
      ...[
        { days: 1, template: 'offer', business_id: 1 },
        { days: 1, template: null, business_id: 1 },
        { days: 1, template: 'foreign', business_id: 2 },
      ],
    ];
    for (const [i, { days, template, business_id }] of sends.entries()) {
      const event = acceptedEvent(`wamid.${i}`);
      const accepted = {
        ...event,
        business_id,
        at: new Date(Date.now() - days * 86_400_000).toISOString(),
        facts: { ...(event.facts as object), template },
      };
      await harness.db.transaction((tx) => records.accept(tx, [accepted] as never));
    }
    expect(await usage.templates(1, 'Asia/Kathmandu')).toEqual([
      { name: 'order', sent: 2 },
      { name: 'offer', sent: 1 },
    ]);
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
    const day = { from: '2026-12-30T00:00:00.000Z', to: '2026-12-31T00:00:00.000Z', previous: null };
    const ofDay = await rowsRead(db, (reading) =>
      new UsageStore(reading).count({ business_id: 1, ...day, timezone: 'UTC', bar_minutes: 60 }),
    );
    expect([ofDay['records'] ?? 0, (ofDay['usage'] ?? 0) <= 96]).toEqual([0, true]);
  });
});
