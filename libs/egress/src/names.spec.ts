import { eventually, startRawReceiver, watchDials, type RawReceiver } from '@mgw/testing';
import { Egress, type EgressResult } from './egress';
import type { Resolve } from './resolver';
import { EgressRules } from './rules';

const PUBLIC = '93.184.215.14';
const NAME = 'hooks.example.com';
const OK = { kind: 'responded', status: 200 };

describe('the addresses that names resolve to (guarantees §5)', () => {
  let canary: RawReceiver;
  let watch: ReturnType<typeof watchDials>;
  const opened: { close(): Promise<void> }[] = [];
  beforeEach(async () => {
    canary = await startRawReceiver();
    opened.push(canary);
    watch = watchDials();
  });
  afterEach(async () => {
    watch.stop();
    await Promise.all(opened.splice(0).map((one) => one.close()));
  });

  /** A server that responds with 200 and keeps the connection. */
  const answering = async (options: { host?: string } = {}): Promise<RawReceiver> => {
    const receiver = await startRawReceiver((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), options);
    opened.push(receiver);
    return receiver;
  };

  /** With a resolver that returns these results in order, then the last one for ever. */
  const door = (results: (string[] | Error)[], allowedTargets: string[] = []) => {
    const queries: string[] = [];
    const names: Resolve = async (name, from) => {
      const result = results[Math.min(queries.push(`${name} ${from}`), results.length) - 1];
      if (!Array.isArray(result)) throw result;
      return result;
    };
    const egress = new Egress(new EgressRules({ allowedTargets, ports: [canary.port] }), names);
    opened.push(egress);
    const post = (url = `https://${NAME}:${canary.port}/hook`, timeoutMs = 10_000): Promise<EgressResult> =>
      egress.post({ url, headers: {}, body: '{}', timeoutMs });
    return { post, queries, checkAddress: (url = `https://${NAME}:${canary.port}/hook`, holder = '1') => egress.checkAddress(url, holder) };
  };

  it.each([
    ['loopback', ['127.0.0.1']],
    ['private', ['10.0.0.1']],
    ['metadata', ['169.254.169.254']],
    ['the host of an Azure machine', ['168.63.129.16']],
    ['unspecified', ['0.0.0.0']],
    ['IPv6 loopback', ['::1']],
    ['IPv6 unspecified', ['::']],
    ['IPv4-mapped', ['::ffff:127.0.0.1']],
    ['IPv4-mapped in hexadecimal', ['::ffff:7f00:1']],
    ['IPv4-compatible', ['::127.0.0.1']],
    ['IPv4-translated', ['::ffff:0:127.0.0.1']],
    ['NAT64', ['64:ff9b::127.0.0.1']],
    ['local NAT64', ['64:ff9b:1::7f00:1']],
    ['6to4', ['2002:7f00:1::']],
    ['Teredo', ['2001:0:7f00:1::1']],
    ['unique local', ['fd00::1']],
    ['link-local', ['fe80::1']],
    ['link-local with its zone', ['fe80::1%lo']],
    ['site-local', ['fec0::1']],
    ['multicast', ['ff02::1']],
    ['documentation', ['2001:db8::1']],
    ['unassigned', ['4000::1']],
    ['public, then private', [PUBLIC, '127.0.0.1']],
    ['private, then public', ['127.0.0.1', PUBLIC]],
    ['public IPv4, private IPv6', [PUBLIC, '::1']],
    ['public IPv6, private IPv4', ['2606:4700::1111', '10.0.0.1']],
    ['more public ones than are called, then a private one', [...Array<string>(10).fill(PUBLIC), '127.0.0.1']],
    ['an invalid address', ['not an address']],
  ])('refuses %s and dials nothing', async (_, addresses) => {
    expect(await door([addresses]).post()).toEqual({ kind: 'refused' });
    expect([watch.dials(), canary.connections]).toEqual([[], 0]);
  });

  it.each([
    ['a private address', ['10.0.0.1']],
    ['the metadata address', ['169.254.169.254']],
    ['loopback in IPv6', ['::1']],
    ['a public and a private address', [PUBLIC, '127.0.0.1']],
  ])('decision 54: a name that leads to %s is refused when it is set', async (_, addresses) => {
    expect(await door([addresses]).checkAddress()).toEqual({ refused: 'must be a public address' });
    expect(watch.dials()).toEqual([]);
  });

  it('decision 54: accepts a new name that resolves to public addresses or not at all', async () => {
    expect(await door([[PUBLIC]]).checkAddress()).toHaveProperty('url');
    expect(await door([new Error('ENOTFOUND')]).checkAddress()).toHaveProperty('url');
  });

  it('decision 54: does not resolve new addresses and targets that the operator allowed', async () => {
    const { checkAddress, queries } = door([['127.0.0.1']], ['localhost']);
    expect(await checkAddress('http://localhost:3000/')).toHaveProperty('url');
    expect(await checkAddress(`https://${PUBLIC}:${canary.port}/`)).toHaveProperty('url');
    expect(await checkAddress('https://10.0.0.1/')).toHaveProperty('refused');
    expect(await checkAddress('https://kubernetes.default.svc/')).toHaveProperty('refused');
    expect(queries).toEqual([]);
  });

  it('decision 54: accepts a name with a silent server after two seconds, and those of one business delay no other (guarantees §10, N2)', async () => {
    let queries = 0;
    const names: Resolve = (name) => {
      queries += 1;
      return name.startsWith('silent') ? new Promise(() => undefined) : Promise.resolve(['10.0.0.1']);
    };
    const egress = new Egress(new EgressRules({ allowedTargets: [], ports: [443] }), names);
    opened.push(egress);
    let accepted = 0;
    const silent = Array.from({ length: 100 }, (_, i) =>
      egress.checkAddress(`https://silent${i}.example.com/`, '1').then(() => (accepted += 1)),
    );
    expect(await egress.checkAddress('https://inside.example.com/', '2')).toHaveProperty('refused');
    // Names beyond the share and the queue are accepted unchecked, because each call checks them again.
    expect(queries).toBeLessThan(10);
    expect(accepted).toBeLessThan(100);
    await Promise.all(silent);
  });

  it('reports a name that does not resolve as unreachable', async () => {
    expect(await door([new Error('ENOTFOUND')]).post()).toEqual({ kind: 'unreachable' });
    expect(watch.dials()).toEqual([]);
  });

  it('rebinding: connects to the checked address and resolves once', async () => {
    const other = await startRawReceiver(undefined, { host: '127.0.0.2', port: canary.port });
    opened.push(other);
    // 127.0.0.1 stands for the public address: allowed here. 127.0.0.2 is not.
    const { post, queries } = door([['127.0.0.1'], ['127.0.0.2']], ['127.0.0.1']);
    expect(await post(undefined, 1_000)).toEqual({ kind: 'timeout' });
    expect(queries).toEqual([`${NAME} dns`]);
    expect(watch.dials()).toEqual([`127.0.0.1 ${canary.port}`]);
    expect(await post()).toEqual({ kind: 'refused' });
    expect([canary.connections, other.connections]).toEqual([1, 0]);
  });

  it('resolves names by DNS, allowed ones by the system, and addresses not at all', async () => {
    const target = await answering();
    const { post, queries } = door([['10.0.0.1'], ['127.0.0.1']], ['localhost', '127.0.0.1']);
    expect(await post()).toEqual({ kind: 'refused' });
    expect(await post(`http://localhost:${target.port}/`)).toEqual(OK);
    expect(await post(`http://127.0.0.1:${target.port}/`)).toEqual(OK);
    expect(await post('https://[::1]/')).toEqual({ kind: 'refused' });
    expect(queries).toEqual([`${NAME} dns`, 'localhost system']);
  });

  it('reuses a connection only while the name resolves to its address', async () => {
    const [here, there] = [await answering(), await answering({ host: '127.0.0.2' })];
    const now: string[][] = [['127.0.0.1']];
    const { post } = door(now, [NAME]);
    const to = `http://${NAME}:${here.port}/`;
    // One connection for two calls: it is kept.
    await eventually(async () => (await post(to)) && here.requests.length > here.connections);
    const before = here.requests.length;
    now[0] = ['127.0.0.2'];
    expect(await post(to)).toEqual({ kind: 'unreachable' });
    expect([here.requests.length, watch.dials().at(-1)]).toEqual([before, `127.0.0.2 ${here.port}`]);
    expect(await post(`http://${NAME}:${there.port}/`)).toEqual(OK);
  });

  it('checks every call, even while a connection to the first address is kept', async () => {
    const target = await answering();
    const now: string[][] = [['127.0.0.1']];
    const { post } = door(now, [NAME]);
    const to = `http://${NAME}:${target.port}/`;
    await eventually(async () => (await post(to)) && target.requests.length > target.connections);
    const before = target.requests.length;
    // The name is allowed with any address; only an invalid address is still refused.
    now[0] = ['127.0.0.1', 'nonsense'];
    expect(await post(to)).toEqual({ kind: 'refused' });
    expect(target.requests.length).toBe(before);
  });

  it('shares connections between the same addresses in another order', async () => {
    const target = await answering();
    const [a, b, c] = ['127.0.0.1', '127.0.0.7', '127.0.0.8'];
    const orders = [
      [a, b, c],
      [a, c, b],
      [b, a, c],
      [b, c, a],
      [c, a, b],
      [c, b, a],
    ] as string[][];
    const { post } = door(orders, [NAME]);
    for (let i = 0; i < orders.length; i++) {
      expect(await post(`http://${NAME}:${target.port}/`)).toEqual(OK);
      // A connection is reusable once its response has been read completely.
      await new Promise((resume) => setImmediate(resume));
    }
    expect(target.connections).toBeLessThan(orders.length);
  });

  it('tries the next address when one refuses, at most four', async () => {
    const lives = await answering({ host: '127.0.0.9' });
    const url = `http://${NAME}:${lives.port}/`;
    expect(await door([['127.0.0.3', '127.0.0.9']], [NAME]).post(url)).toEqual(OK);
    expect(watch.dials()).toEqual([`127.0.0.3 ${lives.port}`, `127.0.0.9 ${lives.port}`]);
    const many = Array.from({ length: 20 }, (_, i) => `127.0.1.${i}`);
    expect(await door([many], [NAME]).post(url)).toEqual({ kind: 'unreachable' });
    expect(watch.dials().slice(2)).toEqual(many.slice(0, 4).map((address) => `${address} ${lives.port}`));
  });

  it('D6: counts from the first DNS query, and does not call after a late response', async () => {
    let resolveLate: (addresses: string[]) => void = () => undefined;
    const late: Resolve = () => new Promise((resolve) => (resolveLate = resolve));
    const egress = new Egress(new EgressRules({ allowedTargets: [NAME], ports: [443] }), late);
    opened.push(egress);
    expect(await egress.post({ url: `http://${NAME}:${canary.port}/`, headers: {}, body: '{}', timeoutMs: 100 })).toEqual({
      kind: 'timeout',
    });
    resolveLate(['127.0.0.1']);
    await new Promise((resume) => setImmediate(resume));
    expect([watch.dials(), canary.connections]).toEqual([[], 0]);
  });

  it('uses no proxy of the environment', async () => {
    const target = await answering();
    const proxy = `http://127.0.0.1:${canary.port}`;
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, NODE_USE_ENV_PROXY: '1' });
    try {
      expect(await door([['127.0.0.1']], [NAME]).post(`http://${NAME}:${target.port}/`)).toEqual(OK);
    } finally {
      process.env = before;
    }
    expect([target.connections, canary.connections]).toEqual([1, 0]);
  });
});
