import { get } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { GatewayError, SendText } from '@mgw/contracts';
import { createLogger, startTracing, type Tracing } from '@mgw/telemetry';
import { eventually, logLines } from '@mgw/testing';
import request from 'supertest';
import { startDashboard, type Dashboard } from '../../test/dashboard.fixture';
import { ApiKeysStore } from '../api-keys/api-keys.store';

describe('the line of each request in the gateway’s log', () => {
  const logger = createLogger('gateway', 'info');
  const lines = logLines(logger);
  let dashboard: Dashboard;
  let key: { id: number; token: string; business_id: number };
  let tracing: Tracing;
  beforeAll(async () => {
    // The test exports no traces.
    process.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:9';
    tracing = await startTracing('gateway', createLogger('gateway', 'silent'));
    dashboard = await startDashboard({}, logger);
    const business_id = await dashboard.business();
    const added = await dashboard.db.transaction((tx) =>
      dashboard.get(ApiKeysStore).add(tx, { business_id, name: 'CRM', permissions: ['*'], expires_at: null }),
    );
    key = { ...added, business_id };
  });
  afterAll(async () => {
    await dashboard.close();
    await tracing.close();
    delete process.env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  });
  beforeEach(() => {
    logger.level = 'info';
    dashboard.neighbours.respond(SendText, ({ to }) => ({ message_id: 'wamid.X', phone: to, replayed: false }));
  });

  const http = () => request(dashboard.visitor.server);
  const send = (requestId: string) =>
    http()
      .post('/api/v1/send-text')
      .set({ 'x-api-key': key.token, 'x-request-id': requestId })
      .send({ phone: '919000055501', message: 'canary' });
  const linesOf = (requestId: string) => lines().filter(({ request_id, msg }) => request_id === requestId && msg === 'request');
  const lineOf = (requestId: string) =>
    eventually(() => {
      const [line] = linesOf(requestId);
      return line;
    });

  it('has one line per request with its business and its outcome', async () => {
    await send('sent').expect(200);
    expect(await lineOf('sent')).toEqual({
      level: 'info',
      time: expect.any(String) as string,
      service: 'gateway',
      msg: 'request',
      request_id: 'sent',
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      business_id: key.business_id,
      api_key_id: key.id,
      method: 'POST',
      route: '/api/v1/send-text',
      status: 200,
      ms: expect.any(Number) as number,
    });
    expect(linesOf('sent')).toHaveLength(1);
  });

  it('has the trace id of the caller', async () => {
    const trace_id = '0af7651916cd43dd8448eb211c80319c';
    await send('traced').set('traceparent', `00-${trace_id}-b7ad6b7169203331-01`).expect(200);
    expect(await lineOf('traced')).toMatchObject({ trace_id });
  });

  it.each(['OUTCOME_UNKNOWN', 'PLATFORM_UNAVAILABLE', 'OVERLOADED', 'INTERNAL'] as const)('logs %s at warn', async (code) => {
    logger.level = 'warn';
    dashboard.neighbours.respond(SendText, () => {
      throw new GatewayError(code, 'no');
    });
    await send(code).expect(500);
    expect(await lineOf(code)).toMatchObject({ level: 'warn', status: 500, error_code: code, business_id: key.business_id });
  });

  it('logs the code of refusals, even without a caller and without a route', async () => {
    dashboard.neighbours.respond(SendText, () => {
      throw new GatewayError('WINDOW_CLOSED', 'closed');
    });
    await send('refused').expect(400);
    expect(await lineOf('refused')).toMatchObject({ level: 'info', status: 400, error_code: 'WINDOW_CLOSED' });
    await http().get('/api/v1/health').set('x-request-id', 'stranger').expect(401);
    expect(await lineOf('stranger')).toMatchObject({ status: 401, error_code: 'INVALID_API_KEY' });
    await http().get('/api/v1/nothing').set('x-request-id', 'nowhere').expect(404);
    expect(await lineOf('nowhere')).toMatchObject({ status: 404, error_code: 'NOT_FOUND' });
  });

  it('logs the business of a dashboard user', async () => {
    const owner = await dashboard.session('owner', key.business_id);
    await owner.get('/api/client/me').set('x-request-id', 'owner').expect(200);
    expect(await lineOf('owner')).toMatchObject({ route: '/api/client/me', business_id: key.business_id });
  });

  it('logs a caller that disconnects as aborted', async () => {
    let release = (): void => undefined;
    let called = false;
    const held = new Promise<void>((resolve) => (release = resolve));
    dashboard.neighbours.respond(SendText, async ({ to }) => {
      called = true;
      await held;
      return { message_id: 'wamid.X', phone: to, replayed: false };
    });
    const { port } = dashboard.visitor.server.listen(0).address() as AddressInfo;
    const path = '/api/v1/quick-send?phone=919000055501&message=canary';
    const call = get({ port, path, headers: { 'x-api-key': key.token, 'x-request-id': 'impatient' } });
    call.on('error', () => undefined);
    await eventually(() => called);
    call.destroy();
    const line = await lineOf('impatient');
    expect(line).toMatchObject({ level: 'info', route: '/api/v1/quick-send', aborted: true });
    expect(line).not.toHaveProperty('status');
    release();
  });

  it('logs pipelined requests of a caller that disconnects as aborted', async () => {
    let release = (): void => undefined;
    let called = 0;
    const held = new Promise<void>((resolve) => (release = resolve));
    dashboard.neighbours.respond(SendText, async ({ to }) => {
      called += 1;
      await held;
      return { message_id: 'wamid.X', phone: to, replayed: false };
    });
    const { server } = dashboard.visitor;
    const { port } = (server.listening ? server : server.listen(0)).address() as AddressInfo;
    const requests = ['first', 'behind'].map(
      (id) =>
        `GET /api/v1/quick-send?phone=919000055501&message=canary HTTP/1.1\r\nhost: x\r\nx-api-key: ${key.token}\r\nx-request-id: ${id}\r\n\r\n`,
    );
    const socket = connect(port, '127.0.0.1', () => void socket.write(requests.join('')));
    await eventually(() => called === 2);
    socket.destroy();
    for (const id of ['first', 'behind']) expect(await lineOf(id)).toMatchObject({ route: '/api/v1/quick-send', aborted: true });
    expect(linesOf('behind')).toHaveLength(1);
    release();
  });

  it('contains no key, phone or text, and no line for documents and files', async () => {
    const query = { phone: '919000055501', message: 'canary', apikey: key.token };
    await http().get('/api/v1/quick-send').query(query).set('x-request-id', 'quick').expect(200);
    expect(await lineOf('quick')).toMatchObject({ route: '/api/v1/quick-send' });
    await http().get('/openapi.json').set('x-request-id', 'document').expect(200);
    await http().get('/favicon.ico?apikey=canary').set('x-request-id', 'file').expect(404);
    await send('marker').expect(200);
    await lineOf('marker');
    expect([linesOf('document'), linesOf('file')]).toEqual([[], []]);
    expect(JSON.stringify(lines())).not.toMatch(new RegExp(`canary|919000055501|${key.token}`));
  });

  it('logs nothing below its level', async () => {
    logger.level = 'warn';
    await send('quiet').expect(200);
    logger.level = 'info';
    await send('after').expect(200);
    await lineOf('after');
    expect(linesOf('quiet')).toEqual([]);
  });
});
