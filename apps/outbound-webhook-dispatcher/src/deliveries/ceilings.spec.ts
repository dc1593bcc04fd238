import type { Socket } from 'node:net';
import { ensureStreams } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { eventually, startRawReceiver, startReceiver, type RawReceiver } from '@mgw/testing';
import { DispatcherConfig } from '../outbound-webhook-dispatcher.config';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/**
 * These tests compare order, not times. Attempts to receivers that hang take as long as the test, so each delivery that
 * succeeds overtakes all of them, even on a slow machine.
 */
describe('guarantees §4, D5: a receiver that hangs delays only itself', () => {
  let dispatching: Dispatching;
  let hanging: RawReceiver[];
  let held: Socket[];
  const opened: RawReceiver[] = [];

  const receive = async (respond: (socket: Socket, request: string) => void) => {
    const receiver = await startRawReceiver(respond);
    opened.push(receiver);
    return receiver;
  };
  /** Receivers that respond only on the path /ok. */
  const hang = async (count: number) => {
    for (let i = 0; i < count; i++)
      hanging.push(await receive((socket, request) => void (request.startsWith('POST /ok ') ? socket.write(OK) : held.push(socket))));
    return hanging.map(({ port }) => `http://127.0.0.1:${port}`);
  };
  const dialled = () => hanging.flatMap(({ requests }) => requests).filter((request) => !request.startsWith('POST /ok ')).length;
  const events = (count: number, business_id = 1) => Array.from({ length: count }, (_, i) => sent(i, { business_id }));
  /** Delivers one event to another webhook while all attempts still hang. */
  const deliversMeanwhile = async (url: string, business_id: number) => {
    const [id] = await dispatching.store([url], business_id);
    await dispatching.harness.publish(sent(1_000, { business_id }));
    await eventually(async () => (await dispatching.log(id as number, business_id))[0]?.state === 'succeeded');
    expect((await dispatching.states())['failed']).toBeUndefined();
  };

  beforeEach(async () => {
    hanging = [];
    held = [];
    dispatching = await startDispatching();
    const { app } = await dispatching.run();
    Object.assign(app.get(DispatcherConfig, { strict: false }), { responseWithinMs: 600_000 });
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((receiver) => receiver.close()));
    await dispatching.harness.close();
  });

  it("delivers another business's event while a hundred webhooks of one business hang", async () => {
    const urls = await hang(100);
    const other = await receive((socket) => void socket.write(OK));
    await dispatching.store(urls);
    await dispatching.harness.publish(...events(3));
    await eventually(() => dialled() >= 64);
    await deliversMeanwhile(`http://127.0.0.1:${other.port}`, 2);
    // 64 for a business; each claim of up to 64 attempts compares its own count.
    expect(dialled()).toBeLessThan(128);
  });

  it('delivers to a host while a hundred webhooks of another business hang on it', async () => {
    const [host = ''] = await hang(1);
    await dispatching.store(Array.from({ length: 100 }, (_, i) => `${host}/${i}`));
    await dispatching.harness.publish(...events(3));
    await eventually(() => dialled() >= 64);
    await deliversMeanwhile(`${host}/ok`, 2);
  });

  it('limits a webhook that hangs to 16 attempts and delivers to the next webhook of its business', async () => {
    const [host = ''] = await hang(1);
    const [id] = await dispatching.store([host]);
    await dispatching.harness.publish(...events(40));
    await eventually(async () => dialled() === 16 && (await dispatching.states())['pending'] === 24);
    await deliversMeanwhile(`${host}/ok`, 1);
    expect(dialled()).toBe(16);
    held.shift()?.write(OK);
    await eventually(() => dialled() === 17);
    expect((await dispatching.webhook(id as number)).fail_count).toBe(0);
  });

  it('limits the attempts to a host that hangs and delivers to other hosts', async () => {
    const [host = ''] = await hang(1);
    const other = await receive((socket) => void socket.write(OK));
    for (let business_id = 1; business_id <= 6; business_id++) await dispatching.store(Array<string>(4).fill(host), business_id);
    await dispatching.harness.publish(...[1, 2, 3, 4, 5, 6].flatMap((business_id) => events(16, business_id)));
    await eventually(() => dialled() >= 128);
    await deliversMeanwhile(`http://127.0.0.1:${other.port}`, 7);
    expect(dialled()).toBeLessThan(128 + 64);
  });

  it.each([
    ['webhook', 'SELECT FROM dispatch.webhooks WHERE business_id = 1 FOR NO KEY UPDATE'],
    ['conversation', 'SELECT FROM dispatch.lanes WHERE business_id = 1 FOR UPDATE'],
  ])('N2: ends attempts of others while a transaction holds a %s, and its own afterwards', async (_, lock) => {
    const steps = 12;
    const [host = ''] = await hang(1);
    const other = await receive((socket) => {
      // An attempt at the locked webhook ends just before.
      held.shift()?.write(OK);
      socket.write(OK);
    });
    await dispatching.store([host]);
    await dispatching.harness.publish(...events(steps));
    await eventually(() => dialled() === steps);
    const locker = await Database.open({ url: dispatching.harness.env['DATABASE_URL'] ?? '', schema: 'dispatch', poolSize: 1 });
    dispatching.harness.onClose(() => locker.close());
    await locker.transaction(async (tx) => {
      await tx.query(lock);
      await dispatching.store([`http://127.0.0.1:${other.port}`], 2);
      for (let i = 0; i < steps; i++) await dispatching.harness.publish(sent(i, { business_id: 2, conversation_id: 1 }));
      // Queries keep PostgreSQL from ending an idle transaction.
      await eventually(async () => (await tx.query('SELECT')) && (await dispatching.states())['succeeded'] === steps);
      expect(await dispatching.states()).toEqual({ succeeded: steps, running: steps });
    });
    await dispatching.ended(2 * steps);
  });

  it("N2: delivers a business's event before half of the thousands that another business published earlier", async () => {
    const [flood, victim] = [await startReceiver(), await startReceiver()];
    dispatching.harness.onClose(() => Promise.all([flood.close(), victim.close()]));
    flood.respond((_, response) => void setTimeout(() => response.writeHead(200).end(), 10));
    let delivered = 0;
    victim.respond((_, response) => {
      delivered = flood.requests.length;
      response.writeHead(200).end();
    });
    await dispatching.store([flood.url]);
    await dispatching.store([victim.url], 2);
    const count = 4_000;
    const all = [...events(count), sent(0, { business_id: 2 })];
    await ensureStreams(await dispatching.harness.nc.jetstreamManager());
    // Under load a relay puts many events into one message.
    for (let at = 0; at < all.length; at += 50)
      await dispatching.harness.publishTo('public.message.sent', JSON.stringify(all.slice(at, at + 50)));
    await eventually(() => victim.requests.length === 1);
    expect(delivered).toBeLessThan(count / 2);
    expect(delivered).toBeGreaterThan(0);
  });

  it.each([
    ['eight', 8, 4],
    ['eighty', 80, 1],
  ])('N2: delivers to others at once while all webhooks of %s businesses hang', async (_, count, each) => {
    const hosts = await hang(16);
    for (let id = 1; id <= count; id++) await dispatching.store(Array<string>(20).fill(hosts[id % 16] as string), id);
    await dispatching.harness.publish(...Array.from({ length: count }, (_one, i) => events(each, i + 1)).flat());
    const floods = count * 20 * each;
    await eventually(async () => Object.values(await dispatching.states()).reduce((sum, n) => sum + n, 0) === floods);
    await eventually(() => dialled() >= 256);
    for (let victim = 1; victim <= 3; victim++) await deliversMeanwhile(`${hosts[victim]}/ok`, 1_000 + victim);
    // 64 for a business. How many businesses hang at once depends on when each is found to be slow.
    expect(dialled()).toBeLessThanOrEqual(count * 64);
    const before = dialled();
    for (const socket of held.splice(0)) socket.write(OK);
    await eventually(() => dialled() > before);
  });
});
