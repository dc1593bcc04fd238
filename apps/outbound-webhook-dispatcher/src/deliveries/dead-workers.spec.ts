import type { Socket } from 'node:net';
import { RecoverDeliveries, Redeliver, TestWebhook } from '@mgw/contracts';
import { Egress } from '@mgw/egress';
import { eventually, oneByOne, sideBySide, startRawReceiver, type NodeChild } from '@mgw/testing';
import { sent, startDispatching } from './dispatch.fixture';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const FAILURE = 'HTTP/1.1 500 Broken\r\nContent-Length: 0\r\n\r\n';

async function start() {
  const held: Socket[] = [];
  const accept = (socket: Socket): unknown => socket.write(OK);
  let respond: (socket: Socket, request: string) => unknown = accept;
  const receiver = await startRawReceiver((socket, request) => void respond(socket, request));
  const dispatching = await startDispatching();
  dispatching.harness.onClose(() => receiver.close());
  return {
    dispatching,
    receiver,
    url: `http://127.0.0.1:${receiver.port}/`,
    /** Connections whose requests wait for a response. */
    held,
    /** Holds the next requests. */
    hold: () => void (respond = (socket) => held.push(socket)),
    /** Responds to the next requests, with 200 by default. */
    respond: (next = accept as typeof respond) => void (respond = next),
    spawn: () => dispatching.harness.spawn('outbound-webhook-dispatcher'),
    /** Such statements wait for the lock 42. */
    holdBack: async (statements: string) => {
      const { db } = dispatching.harness;
      await db.query(`CREATE FUNCTION dispatch.wait_here() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$`);
      await db.query(`CREATE TRIGGER waits BEFORE ${statements} FOR EACH STATEMENT EXECUTE FUNCTION dispatch.wait_here()`);
    },
    numbers: () => receiver.requests.map((request) => Number(/wamid\.1\.(\d+)"/.exec(request)?.[1])),
  };
}

type Fixture = Awaited<ReturnType<typeof start>>;
const stop = ({ dispatching }: Fixture) => dispatching.harness.close();
const test = sideBySide(start, stop);
const testAlone = oneByOne(start, stop);

describe('guarantees §10: workers that die or are suspended', () => {
  test('N6: a dispatcher continues the sixteen conversations of one that died, in order and within seconds', async ({
    dispatching,
    receiver,
    url,
    held,
    hold,
    respond,
    spawn,
    numbers,
  }) => {
    const victim = await spawn();
    hold();
    await dispatching.create({ url });
    // More deliveries wait behind the attempts than one claim reads.
    await dispatching.harness.publish(...Array.from({ length: 240 }, (_, i) => sent(i, { conversation_id: 1 + (i % 16) })));
    await eventually(async () => held.length === 16 && (await dispatching.states())['pending'] === 224);
    await spawn();
    respond();
    await victim.kill('SIGKILL');
    await eventually(() => receiver.requests.length > 16, { timeoutMs: 30_000 });
    await dispatching.ended(240);
    for (let conversation = 0; conversation < 16; conversation++) {
      const order = [...new Set(numbers().filter((number) => number % 16 === conversation))];
      expect(order).toEqual(Array.from({ length: 15 }, (_, i) => conversation + 16 * i));
    }
  });

  test('N6: when both dispatchers died, the first to return continues within seconds', async ({
    dispatching,
    receiver,
    url,
    held,
    hold,
    respond,
    spawn,
    numbers,
  }) => {
    hold();
    await dispatching.store([url]);
    const workers = [await spawn(), await spawn()];
    await dispatching.harness.publish(sent(1, { conversation_id: 1 }));
    await eventually(() => held.length === 1);
    await Promise.all(workers.map((worker) => worker.kill('SIGKILL')));
    respond();
    await dispatching.harness.publish(sent(2, { conversation_id: 1 }), sent(3, { conversation_id: 2 }));
    await spawn();
    await eventually(() => receiver.requests.length === 4, { timeoutMs: 30_000 });
    await dispatching.ended(3);
    expect(numbers().filter((number) => number !== 3)).toEqual([1, 1, 2]);
  });

  test('N6: two hundred blocked conversations of a webhook do not delay another conversation', async ({ dispatching, url, numbers }) => {
    const [webhook] = await dispatching.store([url]);
    await dispatching.harness.db.query(`INSERT INTO dispatch.workers VALUES ('elsewhere', now() + interval '1 hour')`);
    await dispatching.harness.db.query(
      `WITH blocked AS (
         INSERT INTO dispatch.deliveries (webhook_id, business_id, event_id, ordering_key, body, state, queued, attempt)
         SELECT $1, 1, n || ':' || k, 'conversation:' || n, '{}', CASE WHEN k = 0 THEN 'running' ELSE 'pending' END, k > 0, 1
         FROM generate_series(1, 200) AS n, generate_series(0, 3) AS k RETURNING id, ordering_key, state
       ) INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, worker, delivery_id, open)
         SELECT $1, ordering_key, 1, 'elsewhere', min(id) FILTER (WHERE state = 'running'), 4 FROM blocked GROUP BY ordering_key`,
      [webhook],
    );
    await dispatching.run();
    await dispatching.harness.publish(sent(1, { conversation_id: 999 }), sent(2, { conversation_id: 999 }));
    await eventually(async () => (await dispatching.states())['succeeded'] === 2);
    expect([numbers(), await dispatching.states()]).toEqual([[1, 2], { running: 200, pending: 600, succeeded: 2 }]);
  });

  test('N3: sets aside a delivery that killed three workers, delivers the rest, and can redeliver it', async ({
    dispatching,
    url,
    respond,
    spawn,
  }) => {
    let victim: NodeChild | undefined;
    let isPoison = true;
    respond((socket, request) => {
      if (isPoison && request.includes('wamid.1.7"')) void victim?.kill('SIGKILL');
      else socket.write(OK);
    });
    const webhook_id = await dispatching.store([url]).then(([id]) => id as number);
    const other = await dispatching.store([url], 2);
    const events = Array.from({ length: 30 }, (_, i) => sent(i));
    for (let death = 1; death <= 3; death++) {
      victim = await spawn();
      if (death === 1) await dispatching.harness.publish(...events, ...Array.from({ length: 10 }, (_, i) => sent(i, { business_id: 2 })));
      await victim.exited;
    }
    await dispatching.run();
    await dispatching.ended(40);
    expect(await dispatching.states()).toEqual({ succeeded: 39, failed: 1 });
    expect(other).toHaveLength(1);
    const [poison] = (await dispatching.log(webhook_id)).filter(({ state }) => state === 'failed');
    expect(poison).toMatchObject({
      event_id: 'message.sent:wamid.1.7',
      response_code: null,
      reason: 'set aside: 3 workers died during this delivery. Redeliver it to try again.',
    });
    expect((await dispatching.webhook(webhook_id)).fail_count).toBeGreaterThan(0);
    isPoison = false;
    await dispatching.harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id: poison?.id ?? 0 });
    await dispatching.ended(40);
    expect(await dispatching.states()).toEqual({ succeeded: 40 });
  });

  test('N3: attempts suspects one at a time, even if they were redelivered to conversations with an attempt in progress', async ({
    dispatching,
    url,
    held,
    hold,
    respond,
    numbers,
  }) => {
    const { harness } = dispatching;
    await dispatching.run();
    respond((socket) => socket.write(FAILURE));
    const webhook_id = await dispatching.create({ url });
    await harness.publish(sent(1, { conversation_id: 1 }), sent(2, { conversation_id: 2 }));
    await dispatching.ended(2);
    await harness.db.query('UPDATE dispatch.deliveries SET lost_workers = 3');
    const suspects = await dispatching.log(webhook_id);
    hold();
    await harness.publish(sent(3, { conversation_id: 1 }), sent(4, { conversation_id: 2 }));
    await eventually(() => held.length === 2);
    for (const { id } of suspects) await harness.rpc.call(Redeliver, { business_id: 1, webhook_id, delivery_id: id });
    for (const socket of held.splice(0)) socket.write(OK);
    await eventually(() => held.length > 0);
    await harness.publish(sent(5));
    await eventually(() => numbers().includes(5));
    const again = numbers().slice(4);
    expect(again.filter((number) => number !== 5)).toHaveLength(1);
    respond();
    for (const socket of held) socket.write(OK);
    await dispatching.ended(5);
    expect(await dispatching.states()).toEqual({ succeeded: 5 });
  });

  test('N3: recovers a delivery whose third worker survived', async ({ dispatching, url, held, hold, respond }) => {
    await dispatching.run();
    hold();
    const webhook_id = await dispatching.create({ url });
    await dispatching.harness.publish(sent(1));
    for (const attempts of [1, 2]) {
      await eventually(() => held.length === attempts);
      await dispatching.expireClaims();
    }
    await eventually(() => held.length === 3);
    respond();
    for (const socket of held) socket.write(FAILURE);
    await dispatching.ended(1);
    const recovery = { business_id: 1, webhook_id, since: new Date(0).toISOString(), states: ['failed' as const] };
    expect(await dispatching.harness.rpc.call(RecoverDeliveries, recovery)).toMatchObject({ queued: 1 });
    await eventually(async () => (await dispatching.states())['succeeded'] === 1);
  });

  test('N6: a worker that lost its claim before dialling does not dial', async ({ dispatching, receiver, url, holdBack }) => {
    const { db } = dispatching.harness;
    // A test event stores its request between claim and dial.
    await holdBack('UPDATE OF request ON dispatch.deliveries');
    await dispatching.run();
    const webhook_id = await dispatching.create({ url });
    const claims = async () => (await dispatching.log(webhook_id))[0]?.attempts;
    await db.transaction(
      async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock(42)');
        await dispatching.harness.rpc.call(TestWebhook, { business_id: 1, webhook_id, event: null });
        await eventually(async () => (await claims()) === 1);
        await dispatching.expireClaims();
        await eventually(async () => (await claims()) === 2);
      },
      { mayPause: true },
    );
    await dispatching.ended(1);
    expect(await dispatching.states()).toEqual({ succeeded: 1 });
    expect(receiver.requests).toHaveLength(1);
  });

  test('N6: a worker that was suspended keeps claims that no other took over, and dials nothing twice', async ({
    dispatching,
    receiver,
    url,
    held,
    hold,
  }) => {
    await dispatching.run();
    hold();
    const webhook_id = await dispatching.create({ url });
    await dispatching.harness.publish(sent(1), sent(2));
    await eventually(() => held.length === 2);
    const { db } = dispatching.harness;
    const worker = async () => (await db.query<{ worker: string }>('SELECT DISTINCT worker FROM dispatch.lanes'))[0]?.worker;
    const before = await worker();
    await db.query('UPDATE dispatch.workers SET alive_until = clock_timestamp()');
    await eventually(async () => (await worker()) !== before);
    for (const socket of held) socket.write(OK);
    await dispatching.ended(2);
    expect((await dispatching.log(webhook_id)).map(({ state, attempts }) => [state, attempts])).toEqual(Array(2).fill(['succeeded', 1]));
    expect(receiver.requests).toHaveLength(2);
  });

  test('N6: a worker whose renewals wait for the database releases the claims of others only', async ({
    dispatching,
    url,
    held,
    hold,
    holdBack,
    numbers,
  }) => {
    const { db } = dispatching.harness;
    await holdBack('UPDATE ON dispatch.workers');
    await dispatching.run();
    hold();
    const webhook_id = await dispatching.create({ url });
    await dispatching.harness.publish(sent(1), sent(2));
    await eventually(() => held.length === 2);
    await db.transaction(
      async (tx) => {
        await tx.query('SELECT pg_advisory_xact_lock(42)');
        // No worker has a row now, so all are dead for the others. One claim is of another worker.
        await db.query(
          `WITH gone AS (DELETE FROM dispatch.workers)
         UPDATE dispatch.lanes l SET worker = 'dead' FROM dispatch.deliveries d WHERE d.id = l.delivery_id AND d.event_id = $1`,
          [sent(2).id],
        );
        await eventually(() => held.length === 3);
      },
      { mayPause: true },
    );
    for (const socket of held) socket.write(OK);
    await dispatching.ended(2);
    expect([numbers().sort(), await dispatching.states()]).toEqual([[1, 2, 2], { succeeded: 2 }]);
    expect(await dispatching.log(webhook_id)).toMatchObject([{ attempts: 2 }, { attempts: 1 }]);
  });

  testAlone(
    'N6: a claim that expires while connecting and is kept costs no attempt, counts no dead worker, and is signed again',
    async ({ dispatching, receiver, url }) => {
      const { db } = dispatching.harness;
      await dispatching.run();
      const webhook_id = await dispatching.create({ url });
      const seconds = () => Math.floor(Date.now() / 1_000);
      let expiredAt = Infinity;
      const expiry = jest.spyOn(Egress.prototype, 'post').mockImplementationOnce(async ({ headers, maySend = () => true }) => {
        await eventually(() => seconds() > Number(headers['webhook-timestamp']));
        await db.query('UPDATE dispatch.workers SET alive_until = clock_timestamp()');
        while (maySend()) await new Promise(setImmediate);
        expiredAt = seconds();
        return { kind: 'cut_off' };
      });
      await dispatching.harness.publish(sent(1));
      await dispatching.ended(1);
      expiry.mockRestore();
      expect((await dispatching.log(webhook_id)).map(({ state, attempts }) => [state, attempts])).toEqual([['succeeded', 1]]);
      expect(await db.query('SELECT lost_workers FROM dispatch.deliveries')).toEqual([{ lost_workers: 0 }]);
      expect(receiver.requests).toHaveLength(1);
      expect(Number(/webhook-timestamp: (\d+)/.exec(receiver.requests[0] ?? '')?.[1])).toBeGreaterThanOrEqual(expiredAt);
    },
  );

  test('D3: repeats an attempt whose end PostgreSQL lost in a crash, while its worker lives on', async ({
    dispatching,
    url,
    held,
    hold,
    respond,
    numbers,
  }) => {
    await dispatching.run();
    hold();
    const webhook_id = await dispatching.create({ url });
    await dispatching.harness.publish(sent(1));
    await eventually(() => held.length === 1);
    const { db } = dispatching.harness;
    const [lane] = await db.query<{ worker: string }>('SELECT worker FROM dispatch.lanes');
    respond();
    for (const socket of held) socket.write(OK);
    await dispatching.ended(1);
    // PostgreSQL lost the commit of its end.
    await db.query(`UPDATE dispatch.deliveries SET state = 'running', finished_at = NULL, status_code = NULL`);
    await db.query(
      `INSERT INTO dispatch.lanes (webhook_id, ordering_key, business_id, worker, delivery_id, open)
       SELECT webhook_id, ordering_key, business_id, $1, id, 1 FROM dispatch.deliveries`,
      [lane?.worker],
    );
    await dispatching.ended(1);
    expect([numbers(), (await dispatching.log(webhook_id))[0]?.attempts]).toEqual([[1, 1], 2]);
  });
});
