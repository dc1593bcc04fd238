import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { eventually } from '@mgw/testing';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';

const LARGE = JSON.stringify({ note: 'x'.repeat(70_000) });
const WRONG: [name: string, status: number, type: string, body: string][] = [
  ['broken JSON', 400, 'application/json', '{"phone":'],
  ['JSON that is too deep', 400, 'application/json', '['.repeat(9) + ']'.repeat(9)],
  ['another type', 415, 'text/plain', 'phone=1'],
  ['an invalid media type', 415, 'json', '{}'],
  ['an invalid media type with a parameter', 415, 'json; charset=utf-8', '{}'],
  ['a form', 415, 'application/x-www-form-urlencoded', 'phone=1'],
  ['too many bytes', 413, 'application/json', LARGE],
];

describe('faults of a body are reported after authorization (decisions 1, 3, 5, 22, spec §5.3)', () => {
  let dashboard: Dashboard;
  beforeAll(async () => (dashboard = await startDashboard()));
  afterAll(() => dashboard.close());

  const key = async (options: Parameters<Dashboard['apiKey']>[0] = {}) => (await dashboard.apiKey({ limit: 50, ...options })).token;
  const post = (token: string | null, type: string, body: string) => {
    const call = request(dashboard.visitor.server).post('/api/v1/send-text');
    if (token !== null) void call.set('x-api-key', token);
    return call.set('content-type', type).send(body);
  };

  it.each(WRONG)(
    '%s: 401 without a key, 403 without plan or permission, 429 over the limit, otherwise %i, which counts',
    async (...wrong) => {
      const [, status, type, body] = wrong;
      expect((await post(null, type, body).expect(401)).body).toMatchObject({ error_code: 'INVALID_API_KEY' });
      expect((await post(await key({ plan: 'Starter' }), type, body).expect(403)).body).toMatchObject({ error_code: 'PLAN_NOT_ALLOWED' });
      await post(await key({ permissions: ['send_otp'] }), type, body).expect(403);
      const token = await key({ limit: 2 });
      const response = await post(token, type, body).expect(status);
      expect(response.body).toMatchObject({ success: false, error_code: expect.any(String) as string });
      expect(response.headers).toMatchObject({ 'ratelimit-limit': '2', 'ratelimit-remaining': '1', 'cache-control': 'no-store' });
      await post(token, type, body).expect(status);
      await post(token, type, body).expect(429);
    },
  );

  it.each([
    ['/api/client/auto-reply/try', 'broken JSON', 400, '{"text":'],
    ['/api/client/auto-reply/try', 'too many bytes', 413, LARGE],
    ['/api/client/templates/sync', 'broken JSON, where none is needed', 400, '{"text":'],
    ['/api/client/templates/sync', 'too many bytes, where none is needed', 413, LARGE],
    ['/api/admin/businesses', 'broken JSON', 400, '{"name":'],
  ])('spec §10: %s, %s: 401 without a session, otherwise %i', async (path, _name, status, body) => {
    expect((await dashboard.visitor.raw(path, 'application/json', body).expect(401)).body).toMatchObject({
      error_code: 'NOT_AUTHENTICATED',
    });
    const operates = path.startsWith('/api/admin');
    const business_id = await dashboard.business();
    const [operator, owner] = [await dashboard.session('operator', null), await dashboard.session('owner', business_id)];
    await (operates ? owner : operator).raw(path, 'application/json', body).expect(403);
    await (operates ? operator : owner).raw(path, 'application/json', body).expect(status);
  });

  it('spec §10: a login reports the faults of its body', async () => {
    await dashboard.visitor.raw('/api/client/login', 'application/json', '{"email":').expect(400);
    const { body } = await dashboard.visitor.raw('/api/client/login', 'application/json', LARGE).expect(413);
    expect(body).toMatchObject({ error: 'The body is too large: this endpoint takes at most 4 kB.' });
    await dashboard.visitor.raw('/api/client/login', 'text/plain', 'x').expect(415);
  });

  it('decision 5: refuses a body with a Content-Encoding, even a file', async () => {
    const token = await key({ permissions: ['*'] });
    const encoded = (path: string, type: string, encoding: string, body: Buffer) => {
      const headers = { 'x-api-key': token, 'content-type': type, 'content-encoding': encoding };
      return request(dashboard.visitor.server).post(path).set(headers).send(body);
    };
    const plain = Buffer.from('{"phone":"12"}');
    for (const [encoding, body] of [
      ['gzip', gzipSync(plain)],
      ['br', plain],
    ] as const) {
      const response = await encoded('/api/v1/send-text', 'application/json', encoding, body).expect(415);
      expect(response.body).toMatchObject({ error_code: 'UNSUPPORTED_MEDIA_TYPE', error: 'Send the body without Content-Encoding.' });
      await encoded('/api/v1/media', 'text/plain', encoding, body).expect(415);
    }
    await encoded('/api/v1/send-text', 'application/json', 'Identity', plain).expect(400);
  });

  it('decision 4: an unknown path gets 404 for any body', async () => {
    for (const [, , type, body] of WRONG) {
      const call = request(dashboard.visitor.server).post('/api/v1/nothing');
      await call.set('content-type', type).send(body).expect(404);
    }
  });

  it('guarantees §9: a body without a length gets a response at the limit, and its connection closes', async () => {
    const { server } = dashboard.visitor;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    for (const [token, status] of [
      [await key(), 413],
      ['', 401],
    ]) {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
      socket.on('error', () => undefined);
      let received = '';
      socket.on('data', (data) => (received += data.toString()));
      const head = ['POST /api/v1/send-text HTTP/1.1', 'host: x', 'content-type: application/json', 'transfer-encoding: chunked'];
      socket.write([...head, `x-api-key: ${token}`, '', ''].join('\r\n'));
      const ended = once(socket, 'close');
      // The body never ends; the response comes anyway.
      const chunk = `${(16_384).toString(16)}\r\n${' '.repeat(16_384)}\r\n`;
      for (let sent = 0; sent < 5; sent++) socket.write(chunk);
      await eventually(() => received.includes('\r\n\r\n'));
      expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*connection: close`, 'i'));
      await ended;
    }
    await new Promise((closed) => server.close(closed));
  });

  it('watches a response once for all chunks of its body: Node.js warns of more than ten listeners', async () => {
    const { server } = dashboard.visitor;
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    let listeners = 0;
    server.once('request', (_, response: ServerResponse) => response.once('finish', () => (listeners = response.listenerCount('close'))));
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    let received = '';
    socket.on('data', (data) => (received += data.toString()));
    const head = ['POST /api/v1/send-text HTTP/1.1', 'host: x', 'content-type: application/json', 'transfer-encoding: chunked'];
    const chunks = ['{', ...Array<string>(30).fill(' '), '}', ''].map((chunk) => `${chunk.length}\r\n${chunk}\r\n`);
    socket.write([...head, `x-api-key: ${await key()}`, '', chunks.join('')].join('\r\n'));
    await eventually(() => received.includes('VALIDATION_FAILED'));
    expect(listeners).toBeLessThanOrEqual(10);
    socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
});
