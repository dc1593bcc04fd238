import { Controller, type INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Type } from '@sinclair/typebox';
import { GatewayError, announcement, operation, type RequestOf } from '@mgw/contracts';
import { connectNats } from '@mgw/nats';
import { createLogger } from '@mgw/telemetry';
import { eventually, testNats } from '@mgw/testing';
import { RpcClient } from './client';
import type { RpcContext } from './context';
import { Handles } from './handles';
import { RpcServer } from './server';

const Work = operation('worker', 'work', {
  request: Type.Object({ what: Type.String() }),
  reply: Type.Object({ done: Type.String() }),
  deadlineMs: 3_000,
});
const Look = operation('worker', 'look', { request: Type.Object({}), reply: Type.Object({}), isRead: true });
const Unknown = operation('worker', 'nobody-answers', { request: Type.Object({}), reply: Type.Object({}) });
const Changed = announcement('changed', Type.Object({ id: Type.Integer() }));
const logger = createLogger('rpc', 'silent');

@Controller()
class Worker {
  static begun: { what: string; context: RpcContext }[] = [];
  static looks = 0;
  static held: Promise<void> | undefined;
  static release: () => void = () => undefined;

  @Handles(Work)
  async work({ what }: RequestOf<typeof Work>, context: RpcContext): Promise<{ done: string }> {
    Worker.begun.push({ what, context });
    if (what === 'wait') Worker.held = new Promise<void>((resolve) => (Worker.release = resolve));
    if (what === 'wait' || what.startsWith('hold')) await Worker.held;
    if (what === 'refuse') throw new GatewayError('WINDOW_CLOSED', 'closed', { hint: 'template' });
    if (what === 'break') throw new TypeError('secret detail');
    if (what === 'lie') return { done: 7 } as never;
    if (what === 'too much') return { done: 'x'.repeat(9_000_000) };
    return { done: what.slice(0, 10) };
  }

  @Handles(Look)
  async look(): Promise<Record<string, never>> {
    Worker.looks += 1;
    await Worker.held;
    return {};
  }
}

describe('requests between services (guarantees §6)', () => {
  let broker: Awaited<ReturnType<typeof testNats>>;
  let connections: Awaited<ReturnType<typeof connectNats>>[] = [];
  let client: RpcClient;
  let server: INestMicroservice;

  const connect = async (name: string) => {
    const connection = await connectNats({ servers: [broker.url], name, logger });
    connections.push(connection);
    return connection;
  };
  const serve = async (concurrency = 4) => {
    const module = await Test.createTestingModule({ controllers: [Worker] }).compile();
    const app = module.createNestMicroservice({
      strategy: new RpcServer({ connection: await connect('worker'), service: 'worker', concurrency, readConcurrency: 4, logger }),
    });
    await app.listen();
    return app;
  };
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'ok',
      (error: GatewayError) => error.error_code,
    );

  beforeEach(async () => {
    Worker.begun = [];
    Worker.looks = 0;
    Worker.held = undefined;
    broker = await testNats();
    client = new RpcClient(await connect('caller'), logger);
    server = await serve();
  });
  afterEach(async () => {
    Worker.release();
    await server.close();
    await Promise.all(connections.map((connection) => connection.close()));
    connections = [];
    await broker.stop();
  });

  it('get responses, and pass request id and deadline on', async () => {
    const deadlineAt = Date.now() + 2_000;
    expect(await client.call(Work, { what: 'x' }, { requestId: 'r1', deadlineAt })).toEqual({ done: 'x' });
    expect(Worker.begun[0]?.context).toMatchObject({ requestId: 'r1', deadlineAt });
  });

  it('pass errors on unchanged, and hide the details of a defect', async () => {
    await expect(client.call(Work, { what: 'refuse' })).rejects.toMatchObject({
      error_code: 'WINDOW_CLOSED',
      extras: { hint: 'template' },
    });
    const defect = await client.call(Work, { what: 'break' }).catch((error: GatewayError) => error);
    expect(defect).toMatchObject({ error_code: 'INTERNAL' });
    expect(JSON.stringify(defect)).not.toContain('secret');
  });

  it('are validated on both sides: a bad request is refused, a bad response is not passed on', async () => {
    await expect(client.call(Work, { what: 7 } as never)).rejects.toMatchObject({ error_code: 'INTERNAL' });
    expect(Worker.begun).toHaveLength(0);
    const raw = await (await connect('raw')).request(Work.subject, '{"what":7}', { timeout: 2_000 });
    expect(raw.json()).toMatchObject({ error_code: 'VALIDATION_FAILED' });
    expect(await codeOf(client.call(Work, { what: 'lie' }))).toBe('INTERNAL');
  });

  it('fail at once if the response is too large for the broker', async () => {
    expect(await codeOf(client.call(Work, { what: 'too much' }, { deadlineAt: Date.now() + 600_000 }))).toBe('INTERNAL');
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('are refused at once while no service runs', async () => {
    expect(await codeOf(client.call(Unknown, {}))).toBe('OVERLOADED');
  });

  it('end at their deadline, and do not begin after it', async () => {
    const waiting = codeOf(client.call(Work, { what: 'wait' }, { deadlineAt: Date.now() + 200 }));
    expect(await waiting).toBe('DEADLINE_EXCEEDED');
    expect(await codeOf(client.call(Work, { what: 'x' }, { deadlineAt: Date.now() - 1 }))).toBe('DEADLINE_EXCEEDED');
    expect(Worker.begun.map(({ what }) => what)).toEqual(['wait']);
  });

  it('are refused at once over the bound, and accepted afterwards', async () => {
    await server.close();
    server = await serve(1);
    const first = client.call(Work, { what: 'wait' });
    await eventually(() => Worker.begun.length === 1);
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('OVERLOADED');
    Worker.release();
    expect(await first).toEqual({ done: 'wait' });
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('1,000 slow reads and other requests use separate places (guarantees §10, N2)', async () => {
    // 1,000 requests take long on a busy machine.
    const context = { deadlineAt: Date.now() + 50_000 };
    const first = client.call(Work, { what: 'wait' }, context);
    await eventually(() => Worker.begun.length === 1);
    const looks = Array.from({ length: 1_000 }, () => codeOf(client.call(Look, {}, context)));
    const refused = Promise.all(looks.slice(4));
    await eventually(() => Worker.looks === 4);
    expect(new Set(await refused)).toEqual(new Set(['OVERLOADED']));
    for (let i = 0; i < 3; i++) expect(await codeOf(client.call(Work, { what: 'x' }, context))).toBe('ok');
    Worker.release();
    expect(await Promise.all(looks.slice(0, 4))).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(await first).toEqual({ done: 'wait' });
  });

  it('are refused over the bound in bytes, however few they are', async () => {
    await server.close();
    server = await serve(1_000);
    const large = 'x'.repeat(900_000);
    // 27 MB take long on a busy machine.
    const context = { deadlineAt: Date.now() + 50_000 };
    const first = client.call(Work, { what: 'wait' }, context);
    await eventually(() => Worker.begun.length === 1);
    const ended: string[] = [];
    const others = Array.from({ length: 30 }, (_, i) =>
      codeOf(client.call(Work, { what: `hold ${i} ${large}` }, context)).then((code) => (ended.push(code), code)),
    );
    await eventually(() => Worker.begun.length - 1 + ended.length === 30, { timeoutMs: 40_000 });
    Worker.release();
    const codes = await Promise.all(others);
    expect(codes.filter((code) => code === 'ok').length * large.length).toBeGreaterThan(14_000_000);
    expect(codes.filter((code) => code === 'ok').length * large.length).toBeLessThan(16 * 1024 * 1024);
    expect(new Set(codes)).toEqual(new Set(['ok', 'OVERLOADED']));
    expect(await first).toEqual({ done: 'wait' });
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('fail at once as REPLY_LOST when the broker dies, and later requests work', async () => {
    const response = codeOf(client.call(Work, { what: 'wait' }));
    await eventually(() => Worker.begun.length === 1);
    await broker.kill();
    expect(await response).toBe('REPLY_LOST');
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('OVERLOADED');
    await broker.start();
    await eventually(async () => (await codeOf(client.call(Work, { what: 'x' }))) === 'ok', { timeoutMs: 20_000 });
  });

  it('fail by their deadline when the responder dies', async () => {
    const response = codeOf(client.call(Work, { what: 'wait' }, { deadlineAt: Date.now() + 500 }));
    await eventually(() => Worker.begun.length === 1);
    await connections[1]?.close();
    expect(await response).toBe('DEADLINE_EXCEEDED');
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('OVERLOADED');
  });

  it('are finished when their caller dies, and the responder continues', async () => {
    const other = await connect('dying');
    void new RpcClient(other, logger).call(Work, { what: 'wait' }).catch(() => undefined);
    await eventually(() => Worker.begun.length === 1);
    await other.close();
    Worker.release();
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('in progress are finished by a server that closes; it accepts no more', async () => {
    const response = client.call(Work, { what: 'wait' });
    await eventually(() => Worker.begun.length === 1);
    const closing = server.close();
    await eventually(async () => (await codeOf(client.call(Work, { what: 'x' }, { deadlineAt: Date.now() + 300 }))) !== 'ok');
    Worker.release();
    expect(await response).toEqual({ done: 'wait' });
    await closing;
  });

  it('delay the close of a server up to their deadline (guarantees §8)', async () => {
    const response = codeOf(client.call(Work, { what: 'wait' }));
    await eventually(() => Worker.begun.length === 1);
    await server.close();
    expect(await response).toBe('DEADLINE_EXCEEDED');
  });

  it('are shared by two servers; each gets one response', async () => {
    const second = await serve();
    const responses = await Promise.all(
      Array.from({ length: 4 }, (_, i) => client.call(Work, { what: String(i) }).then(({ done }) => done)),
    );
    expect(responses).toEqual(['0', '1', '2', '3']);
    expect(Worker.begun).toHaveLength(4);
    await second.close();
  });

  it('announcements reach every listener of their subject', async () => {
    const received: number[] = [];
    const stop = client.listen(Changed, ({ id }) => void received.push(id));
    await connections[0]?.flush();
    const other = new RpcClient(await connect('teller'), logger);
    other.announce(Changed, { id: 1 });
    await eventually(() => received.length === 1);
    stop();
  });
});
