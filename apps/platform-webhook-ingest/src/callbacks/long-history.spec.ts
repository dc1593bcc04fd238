import { metricsRead, rowsRead, startHarness, type Harness } from '@mgw/harness';
import type { Database, Tx } from '@mgw/postgres';
import { metricsController } from '@mgw/service';
import { service } from '../main';
import { METRICS } from '../metrics';
import { WaitingCallbacksStore } from './waiting-callbacks.store';

const SPLIT = 20_000;
const WAITING = 20_000;

/** guarantees §10, N2: the callbacks that were split before cost nothing. */
describe('waiting callbacks of one business behind a long history', () => {
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(service);
    await harness.db.query(`INSERT INTO ingest.callbacks (body_hash, body, businesses, lane, received_at, split_at)
      SELECT int8send(n), '{}', '{1}', 1, now() - interval '1 hour', CASE WHEN n <= ${SPLIT} THEN now() END
      FROM generate_series(1, ${SPLIT + WAITING}) AS n`);
    await harness.db.query('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => harness.close());

  it('the splitter reads only the callbacks that it splits', async () => {
    const rows = await rowsRead(harness.db, async (db) => {
      const store = new WaitingCallbacksStore(
        Object.assign(db, { transaction: (work: (tx: Tx) => Promise<unknown>) => work(db), ping: async () => true }) as Database,
      );
      const split = () => Promise.reject(new Error('split'));
      await expect(store.splitLane(1, 100, split)).rejects.toThrow('split');
    });
    expect(rows['callbacks']).toBeLessThan(1_000);
  });

  it('the metrics count up to 10,000 and find the oldest one', async () => {
    const { metrics, rows } = await metricsRead(harness.db, metricsController('platform-webhook-ingest', 'ingest', METRICS));
    expect(metrics).toMatchObject({ callbacks_waiting: 10_000 });
    expect(metrics['callbacks_oldest_seconds']).toBeGreaterThanOrEqual(3_600);
    expect(rows['callbacks']).toBeLessThanOrEqual(10_010);
  });
});
