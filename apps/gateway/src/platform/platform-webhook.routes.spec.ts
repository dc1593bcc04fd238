import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createLogger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { fastify, type FastifyInstance } from 'fastify';
import { platformWebhookRoutes } from './platform-webhook.routes';

describe('platform callbacks at the gateway (platform §4)', () => {
  const MEGABYTES_3 = Buffer.alloc(3 * 1024 * 1024, ' ');
  const RIGHT = `sha256=${'a'.repeat(64)}`;
  const WRONG = `sha256=${'0'.repeat(64)}`;
  /** The ingest service fails before it checks this one. */
  const UNCHECKED = `sha256=${'e'.repeat(64)}`;
  let server: FastifyInstance;
  let called: number;
  let running: number;
  let respond: () => void;
  let responded: Promise<void>;
  /** Sizes of the checked bodies. */
  let checked: number[];

  beforeEach(() => {
    called = 0;
    running = 0;
    checked = [];
    responded = new Promise<void>((resolve) => (respond = resolve));
    const call = async (_operation: unknown, { signature, body_base64 }: { signature: string; body_base64: string }) => {
      called += 1;
      checked.push(Buffer.from(body_base64, 'base64').length);
      running += 1;
      await responded;
      running -= 1;
      if (signature === UNCHECKED) throw new Error('overloaded');
      return { status: signature === RIGHT ? 200 : 401 };
    };
    server = fastify({ trustProxy: true });
    platformWebhookRoutes(server, { call } as never, createLogger('gateway', 'silent'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return server.close();
  });

  const post = async (payload: Buffer, { signature = RIGHT, address = '203.0.113.1' } = {}) => {
    const headers = { 'x-hub-signature-256': signature, 'x-forwarded-for': address };
    return (await server.inject({ method: 'POST', url: '/webhooks/whatsapp', payload, headers })).statusCode;
  };

  it('guarantees §6, N1: over the byte budget a body gets 503, so that the platform retries it', async () => {
    const statuses: number[] = [];
    const posts = Array.from({ length: 14 }, (_, n) =>
      post(MEGABYTES_3, { address: `203.0.113.${n}` }).then((status) => statuses.push(status)),
    );
    await eventually(() => called + statuses.length === 14);
    expect([called, statuses]).toEqual([5, Array(9).fill(503)]);
    respond();
    await Promise.all(posts);
    expect(statuses.slice(9)).toEqual(Array(5).fill(200));
    expect(await post(MEGABYTES_3)).toBe(200);
  });

  it('platform §4.2: refuses a body above 3 MB with 413', async () => {
    expect(await post(Buffer.concat([MEGABYTES_3, Buffer.from('x')]))).toBe(413);
    expect(called).toBe(0);
  });

  it('decision 5: refuses a body with a Content-Encoding with 415', async () => {
    respond();
    const encoded = async (encoding: string) => {
      const headers = { 'x-hub-signature-256': RIGHT, 'content-encoding': encoding };
      return (await server.inject({ method: 'POST', url: '/webhooks/whatsapp', payload: '{}', headers })).statusCode;
    };
    expect([await encoded('gzip'), called]).toEqual([415, 0]);
    expect([await encoded('identity'), called]).toEqual([200, 1]);
  });

  it.each([
    ['none', undefined],
    ['another algorithm', 'sha1=00'],
    ['too short', 'sha256=00'],
  ])('N1: responds 401 to a malformed signature (%s) without reading the body', async (_, signature) => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const headers = { 'content-length': String(MEGABYTES_3.length), ...(signature && { 'x-hub-signature-256': signature }) };
    const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/webhooks/whatsapp', method: 'POST', headers });
    outgoing.on('error', () => undefined);
    // The body is never sent.
    outgoing.flushHeaders();
    const status = await new Promise((resolve) => outgoing.once('response', (response) => resolve(response.statusCode)));
    expect([status, called]).toEqual([401, 0]);
    outgoing.destroy();
  });

  it('N1: callers that withhold the rest of their bodies do not block a genuine callback', async () => {
    respond();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const statuses: (number | undefined)[] = [];
    const strangers = Array.from({ length: 30 }, (_, n) => {
      const headers = { 'content-length': String(MEGABYTES_3.length), 'x-hub-signature-256': RIGHT, 'x-forwarded-for': `198.51.100.${n}` };
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/webhooks/whatsapp', method: 'POST', headers });
      outgoing.on('error', () => undefined).on('response', (response) => statuses.push(response.statusCode));
      outgoing.write(MEGABYTES_3.subarray(1));
      return outgoing;
    });
    // 90 MB without their last bytes: most of the bodies are cut off.
    await eventually(() => statuses.length >= 20);
    expect(await post(MEGABYTES_3)).toBe(200);
    for (const outgoing of strangers) outgoing.destroy();
  });

  it('N1: without room, bodies that have been arriving for long are dropped before those of a busy address (decision 738)', async () => {
    respond();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const sockets: Socket[] = [];
    server.server.on('connection', (socket: Socket) => sockets.push(socket));
    const begin = (address: string, length: number, bytes: number) => {
      const headers = { 'content-length': String(length), 'x-hub-signature-256': RIGHT, 'x-forwarded-for': address };
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/webhooks/whatsapp', method: 'POST', headers, agent: false });
      outgoing.on('error', () => undefined);
      outgoing.write(MEGABYTES_3.subarray(0, bytes));
      return outgoing;
    };
    const strangers = Array.from({ length: 100 }, (_, n) => begin(`198.51.100.${n}`, 200_000, 160_000));
    await eventually(() => sockets.length === 100 && sockets.every(({ bytesRead }) => bytesRead > 160_000));
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() + 2_000);
    const first = begin('157.240.1.1', MEGABYTES_3.length, 2_900_000);
    const status = new Promise((resolve) => first.once('response', (response) => resolve(response.statusCode)));
    await eventually(() => (sockets[100]?.bytesRead ?? 0) > 2_900_000);
    expect(await post(MEGABYTES_3, { address: '157.240.1.1' })).toBe(200);
    first.end(MEGABYTES_3.subarray(2_900_000));
    expect(await status).toBe(200);
    for (const outgoing of strangers) outgoing.destroy();
  });

  it('N2: queues the checks of an address after ten wrong signatures in a minute; a right signature still passes', async () => {
    respond();
    const forge = () => post(Buffer.from('{}'), { signature: WRONG, address: '198.51.100.1' });
    for (let n = 0; n < 10; n++) expect(await forge()).toBe(401);
    responded = new Promise<void>((resolve) => (respond = resolve));
    called = 0;
    const forged = Array.from({ length: 20 }, forge);
    await eventually(() => running === 4);
    const genuine = post(Buffer.from('{}'), { address: '198.51.100.1' });
    const elsewhere = post(Buffer.from('{}'), { address: '203.0.113.1' });
    await eventually(() => running === 5);
    expect(called).toBe(5);
    respond();
    expect(await elsewhere).toBe(200);
    expect(await genuine).toBe(200);
    expect(new Set(await Promise.all(forged))).toEqual(new Set([401]));
  });

  it('N2: counts only refused signatures, not errors of the ingest service (decision 738)', async () => {
    respond();
    for (let n = 0; n < 20; n++) expect(await post(Buffer.from('{}'), { signature: UNCHECKED })).toBe(503);
    responded = new Promise<void>((resolve) => (respond = resolve));
    const unhindered = Array.from({ length: 10 }, () => post(Buffer.from('{}')));
    await eventually(() => running === 10);
    respond();
    expect(await Promise.all(unhindered)).toEqual(Array(10).fill(200));
  });

  describe('floods of wrong signatures, and an address of WhatsApp that posted wrong ones (decisions 259, 738)', () => {
    const FORGED = Buffer.alloc(100_000, ' ');
    const GENUINE = Buffer.alloc(10_000, ' ');
    const WHATSAPP = '157.240.1.1';
    const STRANGERS = ['203.0.113.5', '198.51.100.9'];

    /** From then on checks wait for `respond`. */
    const postWrongSignatures = async (addresses: string[]) => {
      respond();
      for (const address of addresses)
        for (let n = 0; n < 10; n++) expect(await post(Buffer.from('{}'), { signature: WRONG, address })).toBe(401);
      responded = new Promise<void>((resolve) => (respond = resolve));
      checked = [];
    };
    beforeEach(() => postWrongSignatures([WHATSAPP, ...STRANGERS]));

    it('refuse no right signature, whose check takes turns with theirs', async () => {
      let refused = 0;
      const flood = (count: number) =>
        STRANGERS.flatMap((address) =>
          Array.from({ length: count }, async () => {
            if ((await post(FORGED, { signature: WRONG, address })) === 503) refused += 1;
          }),
        );
      const forged = flood(50);
      // 62 of the 100 fit into 6 MB.
      await eventually(() => running === 4 && refused === 38);
      const genuine = Array.from({ length: 20 }, () => post(GENUINE, { address: WHATSAPP }));
      forged.push(...flood(1));
      await eventually(() => refused >= 40);
      respond();
      expect(await Promise.all(genuine)).toEqual(Array(20).fill(200));
      const before = checked.slice(0, checked.lastIndexOf(GENUINE.length));
      expect(before.filter((size) => size === FORGED.length).length).toBeLessThanOrEqual(4 + 2 * 20);
      await Promise.all(forged);
    });

    it('refuse none either from many networks of a /48, which have one turn and one budget together', async () => {
      const networks = Array.from({ length: 40 }, (_, n) => `2001:db8:1:${n.toString(16)}::1`);
      await postWrongSignatures(networks);
      const large = Buffer.alloc(200_000, ' ');
      let refused = 0;
      const forged = networks.map(async (address) => {
        if ((await post(large, { signature: WRONG, address })) === 503) refused += 1;
      });
      await eventually(() => running === 4 && refused >= 8);
      const genuine = Array.from({ length: 20 }, () => post(GENUINE, { address: WHATSAPP }));
      respond();
      expect(await Promise.all(genuine)).toEqual(Array(20).fill(200));
      const before = checked.slice(0, checked.lastIndexOf(GENUINE.length));
      expect(before.filter((size) => size === large.length).length).toBeLessThanOrEqual(4 + 20);
      await Promise.all(forged);
    });

    it('give up their place when the caller leaves', async () => {
      await server.listen({ port: 0, host: '127.0.0.1' });
      const { port } = server.server.address() as AddressInfo;
      const forged = Array.from({ length: 4 }, () => post(FORGED, { signature: WRONG, address: WHATSAPP }));
      await eventually(() => running === 4);
      let [arrived, left] = [0, 0];
      server.server.on('request', (incoming: IncomingMessage, response: ServerResponse) => {
        incoming.once('end', () => (arrived += 1));
        response.once('close', () => (left += 1));
      });
      const headers = { 'content-length': '2', 'x-hub-signature-256': WRONG, 'x-forwarded-for': STRANGERS[0] };
      const strangers = Array.from({ length: 20 }, () =>
        httpRequest({ port, host: '127.0.0.1', path: '/webhooks/whatsapp', method: 'POST', headers })
          .on('error', () => undefined)
          .end('{}'),
      );
      await eventually(() => arrived === 20);
      for (const stranger of strangers) stranger.destroy();
      await eventually(() => left === 20);
      respond();
      await Promise.all(forged);
      expect(await post(GENUINE, { address: STRANGERS[0] as string })).toBe(200);
      expect(checked).toEqual([...Array<number>(4).fill(FORGED.length), GENUINE.length]);
    });
  });
});
