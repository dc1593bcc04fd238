import type { Socket } from 'node:net';
import { eventually, startRawReceiver, startReceiver, type RawReceiver } from '@mgw/testing';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/**
 * Proven by order, not by time: the receivers that hang do so until the test ends, and an attempt's limit (60 s) is longer than a
 * test waits (30 s). Whatever is delivered was delivered before any of them ended.
 */
describe('D5: a receiver that hangs delays only itself (guarantees §4)', () => {
  let dispatching: Dispatching;
  let hanging: RawReceiver[];
  let held: Socket[];
  const opened: RawReceiver[] = [];

  const receive = async (answer: (socket: Socket, request: string) => void) => {
    const receiver = await startRawReceiver(answer);
    opened.push(receiver);
    return receiver;
  };
  /** Receivers that answer nothing, but for the path /ok. */
  const hang = async (count: number) => {
    for (let i = 0; i < count; i++)
      hanging.push(await receive((socket, request) => void (request.startsWith('POST /ok ') ? socket.write(OK) : held.push(socket))));
    return hanging.map(({ port }) => `http://127.0.0.1:${port}`);
  };
  const dialled = () => hanging.flatMap(({ requests }) => requests).filter((request) => !request.startsWith('POST /ok ')).length;
  const events = (count: number, business_id = 1) => Array.from({ length: count }, (_, i) => sent(i, { business_id }));
  /** Delivers one event to another webhook while everything that hangs goes on hanging. */
  const deliversMeanwhile = async (url: string, business_id: number) => {
    const [id] = await dispatching.store([url], business_id);
    await dispatching.harness.tell(sent(1_000, { business_id }));
    await eventually(async () => (await dispatching.log(id as number, business_id))[0]?.state === 'succeeded');
    expect((await dispatching.states())['failed']).toBeUndefined();
  };

  beforeEach(async () => {
    hanging = [];
    held = [];
    dispatching = await startDispatching({ WEBHOOK_ANSWER_WITHIN_MS: '60000' });
    await dispatching.run();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((receiver) => receiver.close()));
    await dispatching.harness.close();
  });

  it("a hundred webhooks of one business that hang: another business's event is delivered before any of them has ended", async () => {
    const urls = await hang(100);
    const other = await receive((socket) => void socket.write(OK));
    await dispatching.store(urls);
    await dispatching.harness.tell(...events(3));
    await eventually(() => dialled() >= 64);
    await deliversMeanwhile(`http://127.0.0.1:${other.port}`, 2);
    // The ceiling of a business, seen before each look that takes up to 64 at once.
    expect(dialled()).toBeLessThan(128);
  });

  it('a hundred webhooks of one business that hang on a host which others use too', async () => {
    const [host = ''] = await hang(1);
    await dispatching.store(Array.from({ length: 100 }, (_, i) => `${host}/${i}`));
    await dispatching.harness.tell(...events(3));
    await eventually(() => dialled() >= 64);
    await deliversMeanwhile(`${host}/ok`, 2);
  });

  it('a webhook that hangs has 16 attempts under way; the next webhook of its business is not behind them', async () => {
    const [host = ''] = await hang(1);
    const [id] = await dispatching.store([host]);
    await dispatching.harness.tell(...events(40));
    await eventually(async () => dialled() === 16 && (await dispatching.states())['pending'] === 24);
    await deliversMeanwhile(`${host}/ok`, 1);
    expect(dialled()).toBe(16);
    held.shift()?.write(OK);
    await eventually(() => dialled() === 17);
    expect((await dispatching.webhook(id as number)).fail_count).toBe(0);
  });

  it('a host that hangs has its ceiling whoever calls it; another host is not behind it', async () => {
    const [host = ''] = await hang(1);
    const other = await receive((socket) => void socket.write(OK));
    for (let business_id = 1; business_id <= 6; business_id++) await dispatching.store(Array<string>(4).fill(host), business_id);
    await dispatching.harness.tell(...[1, 2, 3, 4, 5, 6].flatMap((business_id) => events(16, business_id)));
    await eventually(() => dialled() >= 128);
    await deliversMeanwhile(`http://127.0.0.1:${other.port}`, 7);
    expect(dialled()).toBeLessThan(128 + 64);
  });

  it('N2: thousands of events of a business whose webhook keeps up: the event of another overtakes most of them', async () => {
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
    // As a relay does under load: many events in one message.
    for (let at = 0; at < all.length; at += 50)
      await dispatching.harness.nc.jetstream().publish('public.message.sent', JSON.stringify(all.slice(at, at + 50)));
    await eventually(() => victim.requests.length === 1);
    expect(delivered).toBeLessThan(count / 2);
    expect(delivered).toBeGreaterThan(0);
  });

  it.each([
    ['eight', 8, 4],
    ['eighty', 80, 1],
  ])('N2: %s businesses with 20 webhooks each that hang: whatever they ask for, others are delivered at once', async (_, count, each) => {
    const hosts = await hang(16);
    for (let id = 1; id <= count; id++) await dispatching.store(Array<string>(20).fill(hosts[id % 16] as string), id);
    await dispatching.harness.tell(...Array.from({ length: count }, (_one, i) => events(each, i + 1)).flat());
    const floods = count * 20 * each;
    await eventually(async () => Object.values(await dispatching.states()).reduce((sum, n) => sum + n, 0) === floods);
    await eventually(() => dialled() >= 256);
    for (let victim = 1; victim <= 3; victim++) await deliversMeanwhile(`${hosts[victim]}/ok`, 1_000 + victim);
    // Twice the process's places: as many again for businesses that are known to be slow.
    expect(dialled()).toBeLessThanOrEqual(2 * 512);
    const before = dialled();
    for (const socket of held.splice(0)) socket.write(OK);
    await eventually(() => dialled() > before);
  });
});
