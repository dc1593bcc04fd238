import {
  CancelBroadcast,
  gatewayMessageId,
  GatewayError,
  ListBroadcasts,
  PauseBroadcast,
  ResumeBroadcast,
  SendTemplate,
} from '@mgw/contracts';
import type { Harness } from '@mgw/harness';
import { eventually, oneByOne, sideBySide } from '@mgw/testing';
import { Broadcasts, sendInState } from '../../test/broadcasts.fixture';
import { service } from '../main';
import { RecipientsStore } from './recipients.store';
import { RunsStore } from './runs.store';

const inAnHour = () => ({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });

/** Stands for the send service. */
class Sends {
  /** The Idempotency-Keys of the sends, in order. */
  readonly keys: string[] = [];
  /** Idempotency-Keys by the send's `gw_` id. */
  readonly keysBySend = new Map<string, string>();
  /** Releases the held sends of business 1. */
  release = () => undefined as void;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));
  hold: (to: string) => Promise<void> = () => this.released;
  isHeld = (business: number): boolean => business === 1;

  constructor(harness: Harness) {
    harness.respond(SendTemplate, async ({ to, sender }) => {
      this.keys.push(sender.idempotency?.key ?? 'none');
      this.keysBySend.set(gatewayMessageId(sender.intent_id ?? ''), sender.idempotency?.key ?? 'none');
      if (this.isHeld(sender.business_id)) await this.hold(to);
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
  }

  keysOf(id: number): string[] {
    return this.keys.filter((key) => key.startsWith(`broadcast:${id}:`));
  }
}

async function start() {
  const broadcasts = await Broadcasts.start();
  const { harness } = broadcasts;
  const becomes = (status: string, id: number, business_id = 1, timeoutMs = 60_000) =>
    eventually(async () => (await broadcasts.get(id, business_id)).broadcast.status === status, { timeoutMs });
  return {
    broadcasts,
    harness,
    sends: new Sends(harness),
    change: (operation: typeof PauseBroadcast | typeof ResumeBroadcast | typeof CancelBroadcast, id: number, business_id = 1) =>
      harness.rpc.call(operation, { business_id, id }),
    becomes,
    /** Resolves once every replica has polled for work, since older broadcasts come first. */
    polled: async (business_id = 1) => becomes('completed', await broadcasts.create(1, { business_id }), business_id),
    /** Counts transactions that wait for a lock. @param statement a part of the statement that waits */
    waitingTransactions: async (statement: string) => {
      const [row] = await harness.db.query<{ n: string }>(
        `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND position($1 IN query) > 0`,
        [statement],
      );
      return Number(row?.n);
    },
  };
}

type Fixture = Awaited<ReturnType<typeof start>>;
async function stop({ harness, sends }: Fixture): Promise<void> {
  sends.release();
  await harness.close();
}
const test = sideBySide(start, stop);
const testAlone = oneByOne(start, stop);

// The test of a takeover may wait for 90 s twice.
jest.setTimeout(180_000);

describe('spec §10: running broadcasts', () => {
  test('guarantees §1: claims every recipient with an intent of its own, whatever plan PostgreSQL chooses', async ({
    broadcasts,
    harness,
    sends,
  }) => {
    const off = ['hashjoin', 'mergejoin', 'material'].map((plan) => `ALTER DATABASE %1$I SET enable_${plan} = off`).join('; ');
    await harness.db.query(`DO $$ BEGIN EXECUTE format('${off}', current_database()); END $$`);
    await harness.run(service);
    const id = await broadcasts.create(5, { business_id: 2 });
    await eventually(async () => (await broadcasts.get(id, 2)).broadcast.status === 'completed');
    expect(sends.keysBySend.size).toBe(5);
  });

  testAlone(
    'decision 671: records the sends that have ended once before each claim, however many responses there are',
    async ({ broadcasts, harness, sends, becomes }) => {
      const claims = jest.spyOn(RecipientsStore.prototype, 'claim');
      const records = jest.spyOn(RecipientsStore.prototype, 'recordAttempts');
      await harness.run(service);
      // WhatsApp responds to a message once the outcome of the previous one is stored.
      let responses = 0;
      sends.hold = () => {
        const earlier = responses++;
        return eventually(async () => (await broadcasts.get(id)).broadcast.sent >= earlier).then(() => undefined);
      };
      const id = await broadcasts.create(10);
      await becomes('completed', id);
      expect(records.mock.calls.flatMap(([ends]) => ends)).toHaveLength(10);
      expect(records.mock.calls.length).toBeLessThanOrEqual(claims.mock.calls.length);
      jest.restoreAllMocks();
    },
  );

  for (const [perSecond, most] of [
    [80, 64],
    [333, 66],
    [1_000, 192],
  ] as const) {
    test(`decision 671: at ${perSecond} messages a second, ${most} sends may be in flight`, async ({
      broadcasts,
      harness,
      sends,
      polled,
    }) => {
      await harness.run(service, { BROADCAST_PER_SECOND: String(perSecond) });
      const id = await broadcasts.create(200);
      await eventually(() => sends.keys.length >= most);
      await polled(2);
      expect(sends.keysOf(id)).toHaveLength(most);
    });
  }

  test('decision 24: requests with one Idempotency-Key create a broadcast once, also concurrently and on another replica', async ({
    broadcasts,
    harness,
    sends,
    becomes,
  }) => {
    sends.release();
    await harness.run(service);
    await harness.run(service);
    const idempotency = { key: 'k', fingerprint: 'f' };
    const ids = await Promise.all(Array.from({ length: 10 }, () => broadcasts.create(2, { idempotency })));
    const [id = 0] = ids;
    await becomes('completed', id);
    ids.push(await broadcasts.create(2, { idempotency }));
    expect([...new Set(ids)]).toEqual([id]);
    expect(sends.keysOf(id)).toHaveLength(2);
    const other = broadcasts.create(3, { idempotency: { key: 'k', fingerprint: 'of another' } });
    await expect(other).rejects.toMatchObject({ error_code: 'IDEMPOTENCY_MISMATCH', status: 422 });
    expect(await broadcasts.create(1, { idempotency, business_id: 2 })).not.toBe(id);
    expect(await broadcasts.create(1)).not.toBe(await broadcasts.create(1));
  });

  test('spec §10: runs one broadcast of a business at a time, even when two replicas poll at once', async ({
    broadcasts,
    harness,
    waitingTransactions,
  }) => {
    await harness.run(service);
    await harness.run(service);
    for (const business_id of [1, 1, 2]) await broadcasts.create(1, { business_id, ...inAnHour() });
    // The table lock holds both replicas until each has claimed a broadcast or waits for the other. It also holds their queries for unclear
    // recipients, which do not count.
    const claims = async () =>
      (await waitingTransactions('broadcast.take')) + (await waitingTransactions('SET due_at = now() WHERE broadcast_id'));
    await harness.db.transaction(
      async (tx) => {
        await tx.query('LOCK TABLE broadcast.recipients IN EXCLUSIVE MODE');
        await harness.db.query('UPDATE broadcast.broadcasts SET scheduled_at = now()');
        await eventually(async () => (await claims()) === 2);
      },
      { mayPause: true },
    );
    const statuses = async (business_id: number) => {
      const { broadcasts } = await harness.rpc.call(ListBroadcasts, { business_id, limit: 10, cursor: null });
      return broadcasts.map(({ status }) => status);
    };
    await eventually(async () => (await statuses(2)).join() === 'running' && (await statuses(1)).includes('running'));
    expect(await statuses(1)).toEqual(['scheduled', 'running']);
  });

  test('guarantees §8: a replica that lost its lease starts no more sends and never renews or releases it', async ({
    broadcasts,
    harness,
    sends,
    becomes,
    polled,
  }) => {
    await harness.run(service, { BROADCAST_PER_SECOND: '20' });
    const id = await broadcasts.create(40);
    await eventually(() => sends.keys.length > 0);
    // Stands for another replica that holds the lease and sends nothing.
    await harness.db.query(`UPDATE broadcast.broadcasts SET lease_until = now() + interval '1 hour' WHERE id = $1`, [id]);
    await polled(2);
    const begun = sends.keysOf(id).length;
    sends.release();
    await eventually(async () => (await broadcasts.get(id)).broadcast.sent === begun);
    await polled(2);
    await polled(2);
    expect(sends.keysOf(id)).toHaveLength(begun);
    await harness.db.query(`UPDATE broadcast.broadcasts SET lease_until = now() WHERE id = $1`, [id]);
    await becomes('completed', id);
    expect([sends.keysOf(id).length, new Set(sends.keysOf(id)).size]).toEqual([40, 40]);
  });

  testAlone(
    'guarantees §8: taking over a broadcast while its sends are recorded never deadlocks',
    async ({ broadcasts, harness, sends, becomes, waitingTransactions }) => {
      let acceptSecond = () => undefined as void;
      const secondAnswered = new Promise<void>((resolve) => (acceptSecond = resolve));
      const [first, second] = [broadcasts.phoneOf(0), broadcasts.phoneOf(1)];
      const everybody = sends.hold;
      sends.hold = (to) => (to === second ? secondAnswered : everybody(to));
      await harness.run(service);
      const id = await broadcasts.create(2);
      await eventually(() => sends.keys.length === 2);
      const lockOf = (phone: string) => `SELECT nth FROM broadcast.recipients WHERE phone = '${phone}' FOR UPDATE SKIP LOCKED`;
      await harness.db.transaction(
        async (tx) => {
          await tx.query(lockOf(first));
          await harness.db.query('UPDATE broadcast.broadcasts SET lease_until = now() WHERE id = $1', [id]);
          // The replica that takes over waits for the lock of the first recipient.
          await eventually(async () => (await waitingTransactions(`SET due_at = now() WHERE broadcast_id`)) === 1);
          acceptSecond();
          // Recording the second send waits for the lock of the broadcast.
          await eventually(async () => (await waitingTransactions('WITH held AS')) === 1);
          expect(await harness.db.query(lockOf(second))).toHaveLength(1);
        },
        { mayPause: true },
      );
      sends.release();
      // An outcome that could not be recorded within the statement's deadline is queried after 35 s.
      await eventually(async () => (await broadcasts.get(id)).broadcast.sent === 2, { timeoutMs: 90_000 });
      // The replica that took over may wait for the sends of the other one.
      await broadcasts.advanceTime(60);
      await becomes('completed', id, 1, 90_000);
      expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 0 });
    },
  );

  test('guarantees §10, N2: broadcasts of other businesses run while those of sixteen businesses hang', async ({
    broadcasts,
    harness,
    sends,
    becomes,
  }) => {
    await harness.run(service);
    const hung = Array.from({ length: 16 }, (_, i) => 100 + i);
    sends.isHeld = (business) => hung.includes(business);
    for (const business_id of hung) await broadcasts.create(3, { business_id });
    await eventually(() => sends.keys.length === 16 * 3);
    const ids = [await broadcasts.create(3, { business_id: 2 }), await broadcasts.create(3, { business_id: 3 })];
    await becomes('completed', ids[0] as number, 2);
    await becomes('completed', ids[1] as number, 3);
    expect(sends.keys).toHaveLength(18 * 3);
    // The hanging sends have not reached their deadline yet.
    const [hanging] = await harness.db.query<{ n: string }>(`SELECT count(*) AS n FROM broadcast.recipients WHERE state = 'sending'`);
    expect(hanging?.n).toBe(String(16 * 3));
  });

  test('guarantees §10, N3: sets a recipient aside whose sending killed the process three times, and sends the others', async ({
    broadcasts,
    harness,
    sends,
    becomes,
  }) => {
    const poison = broadcasts.phoneOf(1);
    broadcasts.findSend = (id) => (sends.keysBySend.get(id)?.endsWith(':2') ? null : sendInState('accepted')(id));
    let kill = () => undefined as void;
    sends.hold = async (to) => (to === poison ? kill() : undefined);
    const first = await harness.spawn('broadcast');
    kill = () => void first.kill('SIGKILL');
    const id = await broadcasts.create(4);
    await first.exited;
    for (let death = 2; death <= 3; death++) {
      await broadcasts.advanceTime(60);
      const next = await harness.spawn('broadcast');
      kill = () => void next.kill('SIGKILL');
      await next.exited;
    }
    await broadcasts.advanceTime(60);
    await harness.run(service);
    await becomes('completed', id);
    expect((await broadcasts.recipients(id)).map(({ state, reason }) => [state, reason])).toEqual([
      ['sent', null],
      ['failed', 'Sending this message stopped the service 3 times.'],
      ['sent', null],
      ['sent', null],
    ]);
  });

  testAlone(
    'spec §10: a paused broadcast finishes its sends in flight, stays paused over a restart and resumes where it stopped',
    async ({ broadcasts, harness, sends, change, becomes, polled }) => {
      const pace = { BROADCAST_PER_SECOND: '20' };
      const first = await harness.run(service, pace);
      const id = await broadcasts.create(30);
      await eventually(() => sends.keys.length > 0);
      await change(PauseBroadcast, id);
      const begun = (await broadcasts.recipients(id)).filter(({ state }) => state !== 'pending').length;
      sends.release();
      // A second broadcast of the same business completes meanwhile.
      await polled();
      await change(PauseBroadcast, id);
      await first.stop();
      await harness.run(service, pace);
      await polled();
      const { broadcast } = await broadcasts.get(id);
      expect(begun).toBeLessThan(30);
      expect(broadcast).toMatchObject({ status: 'paused', sent: begun, failed: 0, pending: 30 - begun, finished_at: null });
      await change(ResumeBroadcast, id);
      await change(ResumeBroadcast, id);
      await becomes('completed', id);
      expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 30, failed: 0, pending: 0 });
      expect([sends.keysOf(id).length, new Set(sends.keysOf(id)).size]).toEqual([30, 30]);
      await eventually(async () => (await harness.published('broadcast.completed')).length === 3);
    },
  );

  test('spec §10: a broadcast that is paused and resumed at once waits for its sends in flight and attempts none twice', async ({
    broadcasts,
    harness,
    sends,
    change,
    becomes,
    polled,
  }) => {
    await harness.run(service);
    const id = await broadcasts.create(5);
    await eventually(() => sends.keys.length === 5);
    await change(PauseBroadcast, id);
    await change(ResumeBroadcast, id);
    await polled(2);
    expect((await broadcasts.get(id)).broadcast.status).toBe('scheduled');
    sends.release();
    await becomes('completed', id);
    expect(sends.keysOf(id)).toHaveLength(5);
  });

  test('spec §10: a broadcast resumed after a day retries throttled recipients and never resends an unclear one', async ({
    broadcasts,
    harness,
    sends,
    change,
    becomes,
  }) => {
    const throttled = broadcasts.phoneOf(0);
    sends.hold = (to) => Promise.reject(new GatewayError(to === throttled ? 'PLATFORM_THROTTLED' : 'OUTCOME_UNKNOWN', 'Not now.'));
    broadcasts.findSend = sendInState('unknown');
    await harness.run(service);
    const id = await broadcasts.create(2);
    const states = async () => (await broadcasts.recipients(id)).map(({ state }) => state);
    await eventually(async () => (await states()).join() === 'pending,unclear');
    await change(PauseBroadcast, id);
    await broadcasts.advanceTime(86_400);
    const before = sends.keys.length;
    sends.hold = () => Promise.resolve();
    broadcasts.findSend = sendInState('unconfirmed');
    await broadcasts.advanceTime(600);
    await eventually(async () => (await states())[1] === 'failed');
    await change(ResumeBroadcast, id);
    await becomes('completed', id);
    expect(await states()).toEqual(['sent', 'failed']);
    expect(sends.keys.slice(before)).toEqual([`broadcast:${id}:1`]);
  });

  test('decision 747: shows why a recipient waits, when the next attempt is, and what is on its way', async ({
    broadcasts,
    harness,
    sends,
    becomes,
  }) => {
    const [throttled, held] = [broadcasts.phoneOf(0), broadcasts.phoneOf(1)];
    const refusal = new GatewayError('PLATFORM_THROTTLED', 'Too many messages to this person.');
    const released = new Promise<void>((resolve) => (sends.release = resolve));
    sends.hold = (to) => (to === throttled ? Promise.reject(refusal) : to === held ? released : Promise.resolve());
    await harness.run(service);
    const id = await broadcasts.create(3);
    await eventually(async () => (await broadcasts.get(id)).waiting === 1);
    const listed = async () => (await harness.rpc.call(ListBroadcasts, { business_id: 1, limit: 1, cursor: null })).broadcasts[0];
    expect(await listed()).toMatchObject({ id, waiting: 1 });
    await eventually(async () => (await broadcasts.get(id)).broadcast.sent === 1);
    expect(await broadcasts.get(id)).toMatchObject({ sending: 1, broadcast: { pending: 2 } });
    const [first, second, third] = await broadcasts.recipients(id);
    expect(first).toMatchObject({ state: 'pending', reason: 'PLATFORM_THROTTLED: Too many messages to this person.' });
    expect(first?.next_attempt_at).toMatch(/Z$/);
    expect([second, third]).toMatchObject([
      { state: 'sending', reason: null, next_attempt_at: null },
      { state: 'sent', reason: null, next_attempt_at: null },
    ]);
    sends.hold = () => Promise.resolve();
    sends.release();
    await becomes('completed', id);
    expect((await broadcasts.recipients(id))[0]).toMatchObject({ state: 'sent', reason: null, next_attempt_at: null });
    expect(await listed()).toMatchObject({ status: 'completed', waiting: 0 });
  });

  test('spec §10: a scheduled broadcast that was paused starts at its time after it resumes, or at once if that time has passed', async ({
    broadcasts,
    harness,
    sends,
    change,
    becomes,
    polled,
  }) => {
    sends.release();
    await harness.run(service);
    const [early, late] = [await broadcasts.create(1, inAnHour()), await broadcasts.create(1, inAnHour())];
    for (const id of [early, late]) await change(PauseBroadcast, id);
    await harness.db.query(`UPDATE broadcast.broadcasts SET scheduled_at = now() - interval '1 minute' WHERE id = $1`, [late]);
    await polled();
    expect((await broadcasts.get(late)).broadcast).toMatchObject({ status: 'paused', started_at: null });
    for (const id of [early, late]) await change(ResumeBroadcast, id);
    await becomes('completed', late);
    expect((await broadcasts.get(early)).broadcast).toMatchObject({ status: 'scheduled', started_at: null });
  });

  test('decision 787: starts a scheduled broadcast when both clocks have reached its time, and another one at once', async ({
    harness,
  }) => {
    await harness.db.query(
      `INSERT INTO broadcast.broadcasts (business_id, name, template_name, language, plan, timezone, status, total)
       VALUES (1, 'b', 'offer', 'en', 'Growth', 'UTC', 'scheduled', 1)`,
    );
    const runs = new RunsStore(harness.db);
    const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    const set = (scheduledAt: Date | null, createdAt: Date) =>
      harness.db.query('UPDATE broadcast.broadcasts SET scheduled_at = $1, created_at = $2', [scheduledAt, createdAt]);
    await set(hoursFromNow(-1), hoursFromNow(-3));
    expect([await runs.isAnyWaiting(hoursFromNow(-2)), await runs.claim(hoursFromNow(-2))]).toEqual([false, null]);
    await set(hoursFromNow(1), hoursFromNow(-3));
    expect(await runs.claim(hoursFromNow(2))).toBeNull();
    // PostgreSQL's clock was ahead when it was created.
    await set(null, hoursFromNow(1));
    expect(await runs.claim(hoursFromNow(-2))).toMatchObject({ business_id: 1 });
  });

  test('spec §10: cancels a paused broadcast, refuses changes to an ended one, and hides those of other businesses', async ({
    broadcasts,
    harness,
    change,
  }) => {
    await harness.run(service);
    const id = await broadcasts.create(1, inAnHour());
    for (const operation of [PauseBroadcast, ResumeBroadcast, CancelBroadcast])
      await expect(change(operation, id, 2)).rejects.toMatchObject({ error_code: 'NOT_FOUND' });
    await change(PauseBroadcast, id);
    await change(CancelBroadcast, id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ status: 'cancelled', finished_at: expect.any(String) as string });
    for (const operation of [PauseBroadcast, ResumeBroadcast, CancelBroadcast])
      await expect(change(operation, id)).rejects.toMatchObject({ error_code: 'CONFLICT', message: 'This broadcast has already ended.' });
  });
});
