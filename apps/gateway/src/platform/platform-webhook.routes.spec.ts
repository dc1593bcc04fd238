import { request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createLogger } from '@mgw/telemetry';
import { eventually } from '@mgw/testing';
import { fastify, type FastifyInstance } from 'fastify';
import { platformWebhookRoutes } from './platform-webhook.routes';

describe('callbacks of the platform at the edge (platform §4)', () => {
  const MEGABYTES_3 = Buffer.alloc(3 * 1024 * 1024, ' ');
  const RIGHT = `sha256=${'a'.repeat(64)}`;
  const WRONG = `sha256=${'0'.repeat(64)}`;
  let server: FastifyInstance;
  let called: number;
  let running: number;
  let respond: () => void;
  let responded: Promise<void>;

  beforeEach(() => {
    called = 0;
    running = 0;
    responded = new Promise<void>((resolve) => (respond = resolve));
    const call = async (_operation: unknown, { signature }: { signature: string }) => {
      called += 1;
      running += 1;
      await responded;
      running -= 1;
      return { status: signature === RIGHT ? 200 : 401 };
    };
    server = fastify({ trustProxy: true });
    platformWebhookRoutes(server, { call } as never, createLogger('gateway', 'silent'));
  });
  afterEach(() => server.close());

  const post = async (payload: Buffer, { signature = RIGHT, address = '203.0.113.1' } = {}) => {
    const headers = { 'x-hub-signature-256': signature, 'x-forwarded-for': address };
    return (await server.inject({ method: 'POST', url: '/webhooks/whatsapp', payload, headers })).statusCode;
  };

  it('guarantees §6, N1: when the bodies under way are too many bytes, one more is 503, so that the platform sends it again', async () => {
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

  it('platform §4.2: one of more than 3 MB is 413', async () => {
    expect(await post(Buffer.concat([MEGABYTES_3, Buffer.from('x')]))).toBe(413);
    expect(called).toBe(0);
  });

  it.each([
    ['none', undefined],
    ['another algorithm', 'sha1=00'],
    ['too short', 'sha256=00'],
  ])('N1: with no signature of the right form (%s) the answer is 401 and the body is not read', async (_, signature) => {
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const headers = { 'content-length': String(MEGABYTES_3.length), ...(signature && { 'x-hub-signature-256': signature }) };
    const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/webhooks/whatsapp', method: 'POST', headers });
    outgoing.on('error', () => undefined);
    // Nothing of the body is sent.
    outgoing.flushHeaders();
    const status = await new Promise((resolve) => outgoing.once('response', (response) => resolve(response.statusCode)));
    expect([status, called]).toEqual([401, 0]);
    outgoing.destroy();
  });

  it('N1: strangers who withhold the rest of their bodies take no room from a genuine callback', async () => {
    respond();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const answers: (number | undefined)[] = [];
    const strangers = Array.from({ length: 30 }, (_, n) => {
      const headers = { 'content-length': String(MEGABYTES_3.length), 'x-hub-signature-256': RIGHT, 'x-forwarded-for': `198.51.100.${n}` };
      const outgoing = httpRequest({ port, host: '127.0.0.1', path: '/webhooks/whatsapp', method: 'POST', headers });
      outgoing.on('error', () => undefined).on('response', (response) => answers.push(response.statusCode));
      outgoing.write(MEGABYTES_3.subarray(1));
      return outgoing;
    });
    // All but the last byte of 90 MB: most of them are cut off.
    await eventually(() => answers.length >= 20);
    expect(await post(MEGABYTES_3)).toBe(200);
    for (const outgoing of strangers) outgoing.destroy();
  });

  it('N2: beyond ten wrong signatures a minute an address is checked a few at a time; a right one is still taken', async () => {
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
});
