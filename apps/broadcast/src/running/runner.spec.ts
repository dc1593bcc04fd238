import { ListBroadcasts, SendTemplate } from '@mgw/contracts';
import type { Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts, service } from '../../test/broadcasts.fixture';

describe('running broadcasts (product §2)', () => {
  let broadcasts: Broadcasts;
  let harness: Harness;
  /** Sends are held up until then. */
  let answerSends: () => void;
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    ({ harness } = broadcasts);
    const answered = new Promise<void>((resolve) => (answerSends = resolve));
    harness.answer(SendTemplate, async ({ to }) => {
      await answered;
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
  });
  afterEach(async () => {
    answerSends();
    await harness.close();
  });

  it('of one business one runs at a time, also when two replicas look for work at the same moment', async () => {
    await harness.run(service);
    await harness.run(service);
    const inAnHour = { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() };
    for (const business_id of [1, 1, 2]) await broadcasts.create(1, { business_id, ...inAnHour });
    const waiting = async () => {
      const [row] = await harness.db.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      );
      return Number(row?.n);
    };
    // Both are held up with what they have taken, until each has taken something or waits for the other.
    await harness.db.transaction(async (tx) => {
      await tx.query('LOCK TABLE broadcast.recipients IN EXCLUSIVE MODE');
      await harness.db.query('UPDATE broadcast.broadcasts SET scheduled_at = now()');
      await eventually(async () => (await waiting()) === 2);
    });
    const statuses = async (business_id: number) => {
      const { broadcasts } = await harness.rpc.call(ListBroadcasts, { business_id, limit: 10, cursor: null });
      return broadcasts.map(({ status }) => status);
    };
    await eventually(async () => (await statuses(2)).join() === 'running');
    expect(await statuses(1)).toEqual(['scheduled', 'running']);
  });
});
