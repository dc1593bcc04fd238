import { newIntentId } from '@mgw/contracts';
import { rowsRead, startHarness, type Harness } from '@mgw/harness';
import type { Database, Tx } from '@mgw/postgres';
import { service } from '../main';
import { RecipientsStore, type DueRecipient, type EndedAttempt } from './recipients.store';
import { RunsStore, type RunningBroadcast } from './runs.store';
import { UnclearStore } from './unclear.store';

const OPEN = 20_000;
const CLAIMED = 10;
/** Rows that a statement may read for ten recipients: some of its nodes read the same row. */
const FEW = 100;

/**
 * After weeks PostgreSQL's statistics claim that almost nothing is open, and a new table has none. Under both, a statement may read the
 * recipients that it works on, but not all open ones.
 */
describe.each([
  ['new', 0],
  ['weeks old', 40_000],
])('guarantees §10, N2: a broadcast of 20,000 recipients on a %s table', (_, ended) => {
  let harness: Harness;
  let claimed: RunningBroadcast;

  beforeAll(async () => {
    harness = await startHarness(service);
    const insert = (id: number, count: number, state: string) =>
      harness.db.query(
        `WITH b AS (INSERT INTO broadcast.broadcasts (id, business_id, name, template_name, language, plan, timezone, status, total)
           VALUES ($1, 1, 'b', 'offer', 'en', 'Growth', 'UTC', CASE WHEN $3 = 'sent' THEN 'completed' ELSE 'scheduled' END, $2::integer))
         INSERT INTO broadcast.recipients (broadcast_id, nth, phone, body_params, header_params, state, intent_id)
         SELECT $1, n, '1201555' || n, '{}', '{}', $3, gen_random_uuid() FROM generate_series(1, $2::integer) AS n`,
        [id, count, state],
      );
    if (ended > 0) {
      await insert(1, ended, 'sent');
      await harness.db.query('VACUUM (ANALYZE) broadcast.recipients, broadcast.broadcasts');
    }
    await insert(2, OPEN, 'pending');
    claimed = (await new RunsStore(harness.db).claim()) as RunningBroadcast;
  });
  afterAll(() => harness.close());

  /** @returns the recipients that the statements read, and those that their joins discarded */
  const recipientsRead = async (read: (db: Database) => Promise<unknown>): Promise<number> => {
    const { recipients = 0, '': inVain = 0 } = await rowsRead(harness.db, read);
    return recipients + inVain;
  };
  const claim = async (db: Database): Promise<DueRecipient[]> => {
    const { lease, due } = await new RecipientsStore(db).claim(claimed, CLAIMED, true);
    claimed.lease = lease;
    return due ?? [];
  };

  const sent = ({ nth, intent_id }: DueRecipient): EndedAttempt => ({
    broadcastId: 2,
    nth,
    intentId: intent_id,
    end: { state: 'sent', messageId: `wamid.${newIntentId()}` },
  });

  it('claims, records and resolves recipients without reading all open ones', async () => {
    let due: DueRecipient[] = [];
    expect(await recipientsRead(async (db) => (due = await claim(db)))).toBeLessThanOrEqual(FEW);
    expect(due).toHaveLength(CLAIMED);
    expect(await recipientsRead((db) => new RecipientsStore(db).recordAttempts(due.map(sent)))).toBeLessThanOrEqual(FEW);
    await claim(harness.db);
    await harness.db.query(`UPDATE broadcast.recipients SET due_at = now() WHERE state = 'sending'`);
    let unclear: unknown[] = [];
    expect(await recipientsRead(async (db) => (unclear = await new UnclearStore(db).claim(CLAIMED)))).toBeLessThanOrEqual(FEW);
    expect(unclear).toHaveLength(CLAIMED);
  });

  it('decision 671: claims with one statement and records with two, however many recipients', async () => {
    const statements: string[] = [];
    const counting = (tx: Tx): Tx => ({ query: (text, values) => (statements.push(text), tx.query(text, values)) });
    const transaction = (work: (tx: Tx) => Promise<unknown>) => harness.db.transaction((tx) => work(counting(tx)));
    const recipients = new RecipientsStore({ ...counting(harness.db), transaction } as unknown as Database);
    const { lease, due } = await recipients.claim(claimed, 192, true);
    claimed.lease = lease;
    expect([due?.length, statements.length]).toEqual([192, 1]);
    await recipients.recordAttempts((due ?? []).map(sent));
    expect(statements).toHaveLength(3);
    const [counted] = await harness.db.query<{ sent: number }>('SELECT sent FROM broadcast.broadcasts WHERE id = 2');
    const [stored] = await harness.db.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM broadcast.recipients WHERE broadcast_id = 2 AND state = 'sent'`,
    );
    expect(counted?.sent).toBe(stored?.n);
  });

  it('takes a broadcast over, and checks whether it has ended, without reading all open recipients', async () => {
    expect(await recipientsRead((db) => new RunsStore(db).complete(2))).toBeLessThanOrEqual(FEW);
    expect(await recipientsRead((db) => new RunsStore(db).waitUntilDue(claimed))).toBeLessThanOrEqual(FEW);
    await new RunsStore(harness.db).release(claimed);
    expect(await recipientsRead((db) => new RunsStore(db).claim())).toBeLessThanOrEqual(FEW);
  });
});

describe('decision 796: thousands of broadcasts of one business that wait for their turn', () => {
  let harness: Harness;

  beforeAll(async () => {
    harness = await startHarness(service);
  });
  afterAll(() => harness.close());

  const WAITING = 1_000;

  it.each([
    ['one that runs', { started: 'nth = 1', is: 'lease_until', claimed: [2] }],
    ['many that are idle', { started: 'nth % 2 = 1', is: 'idle_until', claimed: [1, 2] }],
  ])('are each read a few times behind %s, and another business has its turn', async (_, { started, is, claimed }) => {
    const runs = new RunsStore(harness.db);
    await harness.db.query('DELETE FROM broadcast.broadcasts');
    await harness.db.query(
      `INSERT INTO broadcast.broadcasts (business_id, name, template_name, language, plan, timezone, status, total)
       SELECT CASE n WHEN ${WAITING} THEN 2 ELSE 1 END, 'b', 'offer', 'en', 'Growth', 'UTC', 'scheduled', 1 FROM generate_series(1, ${WAITING}) AS n`,
    );
    await harness.db.query(
      `UPDATE broadcast.broadcasts b SET status = 'running', started_at = now(), ${is} = now() + interval '1 hour'
       FROM (SELECT id, row_number() OVER (ORDER BY id) AS nth FROM broadcast.broadcasts) n WHERE n.id = b.id AND ${started}`,
    );
    for (const business_id of claimed) {
      let run: RunningBroadcast | null = null;
      const { broadcasts = 0, '': inVain = 0 } = await rowsRead(harness.db, async (db) => (run = await new RunsStore(db).claim()));
      expect(run).toMatchObject({ business_id });
      expect(broadcasts + inVain).toBeLessThanOrEqual(6 * WAITING);
    }
    expect(await runs.claim()).toBeNull();
  });
});
