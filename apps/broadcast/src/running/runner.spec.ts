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
import { eventually } from '@mgw/testing';
import { Broadcasts, found, service } from '../../test/broadcasts.fixture';

describe('running broadcasts (product §2)', () => {
  let broadcasts: Broadcasts;
  let harness: Harness;
  /** The Idempotency-Key of each send, in their order. */
  let keys: string[];
  /** Sends of business 1 are held up until then. */
  let answerSends: () => void;
  let heldUp: (to: string) => Promise<void>;
  /** Whether sends of a business are held up. */
  let heldUpOf: (business: number) => boolean;
  /** By the send's `gw_` id. */
  let keysBySend: Map<string, string>;
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    ({ harness } = broadcasts);
    keys = [];
    keysBySend = new Map();
    heldUpOf = (business) => business === 1;
    const answered = new Promise<void>((resolve) => (answerSends = resolve));
    heldUp = () => answered;
    harness.answer(SendTemplate, async ({ to, sender }) => {
      keys.push(sender.idempotency?.key ?? 'none');
      keysBySend.set(gatewayMessageId(sender.intent_id ?? ''), sender.idempotency?.key ?? 'none');
      if (heldUpOf(sender.business_id)) await heldUp(to);
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
  });
  afterEach(async () => {
    answerSends();
    await harness.close();
  });

  const inAnHour = () => ({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
  const change = (operation: typeof PauseBroadcast | typeof ResumeBroadcast | typeof CancelBroadcast, id: number, business_id = 1) =>
    harness.rpc.call(operation, { business_id, id });
  const becomes = (status: string, id: number, business_id = 1) =>
    eventually(async () => (await broadcasts.show(id, business_id)).broadcast.status === status);
  /** Resolves when every replica's next look for work is over, in which older broadcasts come first. */
  const looked = async (business_id = 1) => becomes('completed', await broadcasts.create(1, { business_id }), business_id);

  /** Transactions that wait for others. */
  const waiting = async () => {
    const [row] = await harness.db.query<{ n: string }>(
      `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return Number(row?.n);
  };
  const keysOf = (id: number) => keys.filter((key) => key.startsWith(`broadcast:${id}:`));

  it('decision 24: asked for again with its Idempotency-Key, also at once and of another replica, a broadcast is made once', async () => {
    answerSends();
    await harness.run(service);
    await harness.run(service);
    const idempotency = { key: 'k', fingerprint: 'f' };
    const ids = await Promise.all(Array.from({ length: 10 }, () => broadcasts.create(2, { idempotency })));
    const [id = 0] = ids;
    await becomes('completed', id);
    ids.push(await broadcasts.create(2, { idempotency }));
    expect([...new Set(ids)]).toEqual([id]);
    expect(keysOf(id)).toHaveLength(2);
    const other = broadcasts.create(3, { idempotency: { key: 'k', fingerprint: 'of another' } });
    await expect(other).rejects.toMatchObject({ error_code: 'IDEMPOTENCY_MISMATCH', status: 422 });
    expect(await broadcasts.create(1, { idempotency, business_id: 2 })).not.toBe(id);
    expect(await broadcasts.create(1)).not.toBe(await broadcasts.create(1));
  });

  it('of one business one runs at a time, also when two replicas look for work at the same moment', async () => {
    await harness.run(service);
    await harness.run(service);
    for (const business_id of [1, 1, 2]) await broadcasts.create(1, { business_id, ...inAnHour() });
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

  it('guarantees §8: who stood still for longer than its lease begins nothing more, and leaves the lease to whoever has it now', async () => {
    await harness.run(service, { BROADCAST_PER_SECOND: '20' });
    const id = await broadcasts.create(40);
    await eventually(() => keys.length > 0);
    // As another replica does, which sends nothing here.
    await harness.db.query(`UPDATE broadcast.broadcasts SET lease_until = now() + interval '1 hour' WHERE id = $1`, [id]);
    await looked(2);
    const begun = keysOf(id).length;
    answerSends();
    await eventually(async () => (await broadcasts.show(id)).broadcast.sent === begun);
    await looked(2);
    await looked(2);
    expect(keysOf(id)).toHaveLength(begun);
    await harness.db.query(`UPDATE broadcast.broadcasts SET lease_until = now() WHERE id = $1`, [id]);
    await becomes('completed', id);
    expect([keysOf(id).length, new Set(keysOf(id)).size]).toEqual([40, 40]);
  });

  it('guarantees §8: a broadcast that is taken over while its sends are recorded waits for nobody in a circle', async () => {
    let answerSecond = () => undefined as void;
    const secondAnswered = new Promise<void>((resolve) => (answerSecond = resolve));
    const [first, second] = [broadcasts.phoneOf(0), broadcasts.phoneOf(1)];
    const everybody = heldUp;
    heldUp = (to) => (to === second ? secondAnswered : everybody(to));
    await harness.run(service);
    const id = await broadcasts.create(2);
    await eventually(() => keys.length === 2);
    const lockOf = (phone: string) => `SELECT nth FROM broadcast.recipients WHERE phone = '${phone}' FOR UPDATE SKIP LOCKED`;
    await harness.db.transaction(async (tx) => {
      await tx.query(lockOf(first));
      await harness.db.query('UPDATE broadcast.broadcasts SET lease_until = now() WHERE id = $1', [id]);
      // Whoever takes it over waits for the first recipient.
      await eventually(async () => (await waiting()) === 1);
      answerSecond();
      await eventually(async () => (await waiting()) === 2);
      expect(await harness.db.query(lockOf(second))).toHaveLength(1);
    });
    answerSends();
    await becomes('completed', id);
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 2, failed: 0 });
  });

  it('guarantees §10, N2: broadcasts of sixteen businesses whose sends hang leave others their turns', async () => {
    await harness.run(service);
    const hung = Array.from({ length: 16 }, (_, i) => 100 + i);
    heldUpOf = (business) => hung.includes(business);
    for (const business_id of hung) await broadcasts.create(3, { business_id });
    await eventually(() => keys.length === 16 * 3);
    const ids = [await broadcasts.create(3, { business_id: 2 }), await broadcasts.create(3, { business_id: 3 })];
    await becomes('completed', ids[0] as number, 2);
    await becomes('completed', ids[1] as number, 3);
    expect(keys).toHaveLength(18 * 3);
    // Before the hanging sends ended, at their deadline.
    const [hanging] = await harness.db.query<{ n: string }>(`SELECT count(*) AS n FROM broadcast.recipients WHERE state = 'sending'`);
    expect(hanging?.n).toBe(String(16 * 3));
  });

  it('guarantees §10, N3: a recipient under whose sending the process died three times is set aside, and the others are sent', async () => {
    const poison = broadcasts.phoneOf(1);
    broadcasts.findSend = (id) => (keysBySend.get(id)?.endsWith(':2') ? null : found('accepted')(id));
    let kill = () => undefined as void;
    heldUp = async (to) => (to === poison ? kill() : undefined);
    const first = await harness.spawn('broadcast');
    kill = () => first.kill('SIGKILL');
    const id = await broadcasts.create(4);
    await first.exited;
    for (let death = 2; death <= 3; death++) {
      await broadcasts.pass(60);
      const next = await harness.spawn('broadcast');
      kill = () => next.kill('SIGKILL');
      await next.exited;
    }
    await broadcasts.pass(60);
    await harness.run(service);
    await becomes('completed', id);
    expect((await broadcasts.recipients(id)).map(({ state, reason }) => [state, reason])).toEqual([
      ['sent', null],
      ['failed', 'Sending this message stopped the service 3 times.'],
      ['sent', null],
      ['sent', null],
    ]);
  });

  it('friendliness F20: paused, nothing more begins and what is under way ends; it stays so after a restart; resumed, it goes on where it stopped', async () => {
    const pace = { BROADCAST_PER_SECOND: '20' };
    const first = await harness.run(service, pace);
    const id = await broadcasts.create(30);
    await eventually(() => keys.length > 0);
    await change(PauseBroadcast, id);
    const begun = (await broadcasts.recipients(id)).filter(({ state }) => state !== 'pending').length;
    answerSends();
    // Another of the same business runs meanwhile, to its end.
    await looked();
    await change(PauseBroadcast, id);
    await first.stop();
    await harness.run(service, pace);
    await looked();
    const { broadcast } = await broadcasts.show(id);
    expect(begun).toBeLessThan(30);
    expect(broadcast).toMatchObject({ status: 'paused', sent: begun, failed: 0, pending: 30 - begun, finished_at: null });
    await change(ResumeBroadcast, id);
    await change(ResumeBroadcast, id);
    await becomes('completed', id);
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 30, failed: 0, pending: 0 });
    expect([keysOf(id).length, new Set(keysOf(id)).size]).toEqual([30, 30]);
    await eventually(async () => (await harness.told('broadcast.completed')).length === 3);
  });

  it('friendliness F20: paused and resumed at once, it waits for what is under way, and nothing is tried twice', async () => {
    await harness.run(service);
    const id = await broadcasts.create(5);
    await eventually(() => keys.length === 5);
    await change(PauseBroadcast, id);
    await change(ResumeBroadcast, id);
    await looked(2);
    expect((await broadcasts.show(id)).broadcast.status).toBe('scheduled');
    answerSends();
    await becomes('completed', id);
    expect(keysOf(id)).toHaveLength(5);
  });

  it('friendliness F20: resumed after a day, what WhatsApp had turned away for the moment is sent; what may have been sent is not sent again', async () => {
    const turnedAway = broadcasts.phoneOf(0);
    heldUp = (to) => Promise.reject(new GatewayError(to === turnedAway ? 'PLATFORM_THROTTLED' : 'OUTCOME_UNKNOWN', 'Not now.'));
    broadcasts.findSend = found('unknown');
    await harness.run(service);
    const id = await broadcasts.create(2);
    const states = async () => (await broadcasts.recipients(id)).map(({ state }) => state);
    await eventually(async () => (await states()).join() === 'pending,unclear');
    await change(PauseBroadcast, id);
    await broadcasts.pass(86_400);
    const before = keys.length;
    heldUp = () => Promise.resolve();
    broadcasts.findSend = found('unconfirmed');
    await broadcasts.pass(600);
    await eventually(async () => (await states())[1] === 'failed');
    await change(ResumeBroadcast, id);
    await becomes('completed', id);
    expect(await states()).toEqual(['sent', 'failed']);
    expect(keys.slice(before)).toEqual([`broadcast:${id}:1`]);
  });

  it('friendliness F20: what is scheduled can be paused before it starts; resumed, it starts at its time, or at once when that has passed', async () => {
    answerSends();
    await harness.run(service);
    const [early, late] = [await broadcasts.create(1, inAnHour()), await broadcasts.create(1, inAnHour())];
    for (const id of [early, late]) await change(PauseBroadcast, id);
    await harness.db.query(`UPDATE broadcast.broadcasts SET scheduled_at = now() - interval '1 minute' WHERE id = $1`, [late]);
    await looked();
    expect((await broadcasts.show(late)).broadcast).toMatchObject({ status: 'paused', started_at: null });
    for (const id of [early, late]) await change(ResumeBroadcast, id);
    await becomes('completed', late);
    expect((await broadcasts.show(early)).broadcast).toMatchObject({ status: 'scheduled', started_at: null });
  });

  it('friendliness F20: what is paused can be cancelled; what has ended is refused as by cancelling, and what is of another is not there', async () => {
    await harness.run(service);
    const id = await broadcasts.create(1, inAnHour());
    for (const operation of [PauseBroadcast, ResumeBroadcast, CancelBroadcast])
      await expect(change(operation, id, 2)).rejects.toMatchObject({ error_code: 'NOT_FOUND' });
    await change(PauseBroadcast, id);
    await change(CancelBroadcast, id);
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ status: 'cancelled', finished_at: expect.any(String) as string });
    for (const operation of [PauseBroadcast, ResumeBroadcast, CancelBroadcast])
      await expect(change(operation, id)).rejects.toMatchObject({ error_code: 'CONFLICT', message: 'This broadcast has ended already.' });
  });
});
