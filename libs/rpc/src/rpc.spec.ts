import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { Controller, type INestMicroservice } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Type } from '@sinclair/typebox';
import { GatewayError, announcement, operation, type RequestOf } from '@mgw/contracts';
import { connectNats } from '@mgw/nats';
import { createLogger } from '@mgw/telemetry';
import { eventually, logLines, startThreadServer, testNats } from '@mgw/testing';
import { headers } from 'nats';
import { RpcClient } from './client';
import type { RpcContext } from './context';
import { Handles, type Handler } from './handles';
import { LocalHandlers } from './local-handlers';
import { RpcServer } from './server';

const Work = operation('worker', 'work', {
  request: Type.Object({ what: Type.String() }),
  response: Type.Object({ done: Type.String() }),
  deadlineMs: 3_000,
});
const Look = operation('worker', 'look', { request: Type.Object({}), response: Type.Object({}), isRead: true });
const Unknown = operation('worker', 'nobody-answers', { request: Type.Object({}), response: Type.Object({}) });
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
  look: Handler<typeof Look> = async () => {
    Worker.looks += 1;
    await Worker.held;
  };
}

/** Longer than any wait of a test, for requests that must not end by themselves. */
const later = () => ({ deadlineAt: Date.now() + 120_000 });

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
  const serve = async (concurrency = 4, connection?: Awaited<ReturnType<typeof connectNats>>, requestBytes?: number, log = logger) => {
    const module = await Test.createTestingModule({ controllers: [Worker] }).compile();
    const app = module.createNestMicroservice({
      strategy: new RpcServer({
        connection: connection ?? (await connect('worker')),
        service: 'worker',
        concurrency,
        readConcurrency: 4,
        requestBytes,
        logger: log,
      }),
    });
    await app.listen();
    return app;
  };
  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'ok',
      (error: GatewayError) => error.error_code,
    );

  /** Begins a request that waits. Its deadline is short, but long enough for this machine. @returns the code of its response */
  const beginShort = async (caller = client): Promise<{ response: Promise<string> }> => {
    for (let withinMs = 250; ; withinMs *= 2) {
      const response = codeOf(caller.call(Work, { what: 'wait' }, { deadlineAt: Date.now() + withinMs }));
      await Promise.race([response, eventually(() => Worker.begun.length === 1)]);
      if (Worker.begun.length === 1) return { response };
    }
  };

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

  it('decision 218: ignores a response that another service sent', async () => {
    const other = await connect('other');
    other.subscribe(Unknown.subject, {
      callback: (_, { reply = '' }) => {
        other.publish(reply.replace('.worker.', '.other.'), JSON.stringify({ forged: true }));
        other.publish(reply, JSON.stringify({}));
      },
    });
    await other.flush();
    expect(await client.call(Unknown, {}, later())).toEqual({});
  });

  it('get responses, and pass request id and deadline on', async () => {
    const { deadlineAt } = later();
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
    const raw = await (await connect('raw')).request(Work.subject, '{"what":7}', { timeout: 60_000 });
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
    const { response } = await beginShort();
    expect(await response).toBe('DEADLINE_EXCEEDED');
    expect(await codeOf(client.call(Work, { what: 'x' }, { deadlineAt: Date.now() - 1 }))).toBe('DEADLINE_EXCEEDED');
    expect(Worker.begun.map(({ what }) => what)).toEqual(['wait']);
  });

  it('decision 782: are refused by a service whose clock is ahead, which logs the difference once', async () => {
    await server.close();
    const ahead = createLogger('ahead', 'warn');
    const lines = logLines(ahead);
    server = await serve(4, undefined, undefined, ahead);
    const raw = await connect('raw');
    for (let nth = 0; nth < 2; nth++) {
      const late = headers();
      late.set('deadline', String(Date.now() - 5_000));
      const response = await raw.request(Work.subject, '{"what":"x"}', { timeout: 60_000, headers: late });
      expect(response.json()).toMatchObject({ error_code: 'OVERLOADED' });
    }
    expect(Worker.begun).toEqual([]);
    expect(lines()).toMatchObject([{ level: 'warn', method: 'rpc.worker.work' }]);
    expect(lines()[0]?.['late_ms']).toBeGreaterThanOrEqual(5_000);
  });

  it('are refused at once over the bound, and accepted afterwards', async () => {
    await server.close();
    server = await serve(1);
    const first = client.call(Work, { what: 'wait' }, later());
    await eventually(() => Worker.begun.length === 1);
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('OVERLOADED');
    Worker.release();
    expect(await first).toEqual({ done: 'wait' });
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('1,000 slow reads and other requests use separate places (guarantees §10, N2)', async () => {
    const context = later();
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
    const context = later();
    const first = client.call(Work, { what: 'wait' }, context);
    await eventually(() => Worker.begun.length === 1);
    const ended: string[] = [];
    const others = Array.from({ length: 30 }, (_, i) =>
      codeOf(client.call(Work, { what: `hold ${i} ${large}` }, context)).then((code) => (ended.push(code), code)),
    );
    await eventually(() => Worker.begun.length - 1 + ended.length === 30);
    Worker.release();
    const codes = await Promise.all(others);
    expect(codes.filter((code) => code === 'ok').length * large.length).toBeGreaterThan(14_000_000);
    expect(codes.filter((code) => code === 'ok').length * large.length).toBeLessThan(16 * 1024 * 1024);
    expect(new Set(codes)).toEqual(new Set(['ok', 'OVERLOADED']));
    expect(await first).toEqual({ done: 'wait' });
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('are refused over the bound in bytes that their service sets', async () => {
    await server.close();
    server = await serve(4, undefined, 1_000);
    expect(await codeOf(client.call(Work, { what: 'x'.repeat(1_000) }))).toBe('OVERLOADED');
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('fail at once as REPLY_LOST when the broker dies, and later requests work', async () => {
    const response = codeOf(client.call(Work, { what: 'wait' }, later()));
    await eventually(() => Worker.begun.length === 1);
    await broker.kill();
    expect(await response).toBe('REPLY_LOST');
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('OVERLOADED');
    await broker.start();
    await eventually(async () => (await codeOf(client.call(Work, { what: 'x' }))) === 'ok');
  });

  it('reach a server that started while the broker was away', async () => {
    const connection = await connect('starts');
    await server.close();
    await broker.kill();
    const starting = serve(4, connection);
    await broker.start();
    server = await starting;
    await eventually(async () => (await codeOf(client.call(Work, { what: 'x' }))) === 'ok');
  });

  it('decision 695: end with a response that arrived in time, even if their process was paused beyond the deadline', async () => {
    const responder = await startThreadServer(`require('nats').connect({ servers: '${broker.url}' }).then(async (nc) => {
      const callback = (_fault, message) => requested((done) => message.respond('{}') && nc.flush().then(done));
      nc.subscribe('${Unknown.subject}', { callback });
      await nc.flush();
      listening('${broker.url}');
    });`);
    const response = codeOf(client.call(Unknown, {}, { deadlineAt: Date.now() + 5_000 }));
    await eventually(() => responder.hasRequest());
    await responder.standStill(5_500);
    expect(await response).toBe('ok');
    await responder.stop();
  });

  it('fail by their deadline when the responder dies', async () => {
    const { response } = await beginShort();
    await connections[1]?.close();
    expect(await response).toBe('DEADLINE_EXCEEDED');
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('OVERLOADED');
  });

  it('are finished when their caller dies, and the responder continues', async () => {
    const other = await connect('dying');
    await beginShort(new RpcClient(other, logger));
    await other.close();
    Worker.release();
    expect(await codeOf(client.call(Work, { what: 'x' }))).toBe('ok');
  });

  it('in progress are finished by a server that closes; it accepts no more', async () => {
    const response = client.call(Work, { what: 'wait' }, later());
    await eventually(() => Worker.begun.length === 1);
    const closing = server.close();
    await eventually(async () => (await codeOf(client.call(Work, { what: 'x' }, { deadlineAt: Date.now() + 300 }))) !== 'ok');
    Worker.release();
    expect(await response).toEqual({ done: 'wait' });
    await closing;
  });

  it('delay the close of a server up to their deadline (guarantees §8)', async () => {
    const { response } = await beginShort();
    await server.close();
    expect(await response).toBe('DEADLINE_EXCEEDED');
  });

  it('that a slow broker delivers while a server closes are finished (guarantees §8)', async () => {
    await server.close();
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const slow = await connect('worker');
    const subscribe = slow.subscribe.bind(slow);
    slow.subscribe = (...args) => {
      const subscription = subscribe(...args);
      const drain = subscription.drain.bind(subscription);
      subscription.drain = () => ended.then(drain);
      return subscription;
    };
    server = await serve(4, slow);
    const closing = server.close().then(() => slow.close());
    expect(await Promise.race([closing, pause(2_100, 'waits')])).toBe('waits');
    const response = codeOf(client.call(Work, { what: 'wait' }, later()));
    await eventually(() => Worker.begun.length === 1);
    end();
    Worker.release();
    expect(await response).toBe('ok');
    await closing;
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

const Mirror = operation('mirror', 'show', { request: Type.Object({ value: Type.Any() }), response: Type.Object({ value: Type.Any() }) });

class Secret {
  readonly shown = 'yes';
  readonly #hidden = 'no';
  get derived(): string {
    return this.#hidden;
  }
}

@Controller()
class Mirrors {
  static received: unknown[] = [];
  static readonly kept = { list: [1] };
  static readonly context = new AsyncLocalStorage<string>();

  @Handles(Mirror)
  async show(request: RequestOf<typeof Mirror>): Promise<{ value: unknown }> {
    const { value } = request as { value: unknown };
    Mirrors.received.push(value === 'context' ? (Mirrors.context.getStore() ?? 'none') : structuredClone(value));
    if (value === 'kept') return { value: Mirrors.kept };
    if (Array.isArray(value)) value.push('changed by the handler');
    return value === 'rich' ? { value: rich() } : { value };
  }
}

/** Values that JSON changes or drops. */
const rich = () => ({
  at: new Date(0),
  missing: undefined,
  list: [undefined, () => 1, Symbol('s'), NaN, -0, Infinity],
  secret: new Secret(),
  bytes: Buffer.from('ab'),
  views: new Uint8Array([1, 2]),
  map: new Map([[1, 2]]),
  boxed: [Object(7), Object('text'), Object(false)],
  own: { toJSON: (key: string) => ({ key, nested: new Date(1) }) },
  surrogate: '\ud800 and \u0000',
  named: JSON.parse('{"__proto__": {"a": 1}, "2": "b", "1": "a"}') as unknown,
  sparse: Object.assign([], { 2: 'third', length: 4 }),
  bare: Object.assign(Object.create(null) as object, { a: 1 }),
});

const cycle: unknown[] = [];
cycle.push(cycle);

describe('requests within one process (decision 500)', () => {
  let broker: Awaited<ReturnType<typeof testNats>>;
  const ends: (() => Promise<unknown>)[] = [];
  let near: RpcClient;
  let far: RpcClient;
  /** Its broker is gone. */
  let offline: RpcClient;
  let server: INestMicroservice;

  beforeAll(async () => {
    broker = await testNats();
    const connect = async () => {
      const connection = await connectNats({ servers: [broker.url], name: 'one', logger });
      ends.push(() => connection.close());
      return connection;
    };
    const local = new LocalHandlers();
    const module = await Test.createTestingModule({ controllers: [Worker, Mirrors] }).compile();
    const limits = { concurrency: 2, readConcurrency: 1 };
    const strategy = new RpcServer({ connection: await connect(), local, service: 'worker', ...limits, logger });
    server = module.createNestMicroservice({ strategy });
    await server.listen();
    near = new RpcClient(await connect(), logger, local);
    far = new RpcClient(await connect(), logger);
    const closed = await connect();
    offline = new RpcClient(closed, logger, local);
    await closed.close();
  });
  afterAll(async () => {
    await Promise.all(ends.map((end) => end()));
    await broker.stop();
  });
  beforeEach(() => {
    Worker.begun = [];
    Worker.looks = 0;
    Worker.held = undefined;
    Mirrors.received = [];
  });

  const outcome = (call: Promise<unknown>) =>
    call.then(
      (response) => ({ response }),
      (error: GatewayError) => ({ error: error.toWire() }),
    );

  it.each<[string, (client: RpcClient) => Promise<unknown>]>([
    ['a response', (client) => client.call(Work, { what: 'x' })],
    ['an error with its extras', (client) => client.call(Work, { what: 'refuse' })],
    ['a defect', (client) => client.call(Work, { what: 'break' })],
    ['a response that violates the contract', (client) => client.call(Work, { what: 'lie' })],
    ['a response over the bound', (client) => client.call(Work, { what: 'too much' }, later())],
    ['a request over the bound', (client) => client.call(Work, { what: 'x'.repeat(9_000_000) }, later())],
    ['a request that violates the contract', (client) => client.call(Work, { what: 7 } as never)],
    ['a past deadline', (client) => client.call(Work, { what: 'x' }, { deadlineAt: 1 })],
    ['a request that JSON changes', (client) => client.call(Mirror, { value: rich() })],
    ['a response that JSON changes', (client) => client.call(Mirror, { value: 'rich' })],
    ['a bigint', (client) => client.call(Mirror, { value: 1n })],
    ['a cycle', (client) => client.call(Mirror, { value: cycle })],
    ['no value', (client) => client.call(Mirror, { value: undefined })],
  ])('like over NATS: %s', async (_case, call) => {
    const overNats = await outcome(call(far));
    const received = Mirrors.received.splice(0);
    expect(await outcome(call(near))).toStrictEqual(overNats);
    expect(Mirrors.received).toStrictEqual(received);
  });

  it('leave the objects of both sides alone', async () => {
    const value = ['mine'];
    expect(await near.call(Mirror, { value })).toEqual({ value: ['mine', 'changed by the handler'] });
    expect(value).toEqual(['mine']);
    const response = (await near.call(Mirror, { value: 'kept' })) as { value: { list: number[] } };
    response.value.list.push(2);
    expect(Mirrors.kept).toEqual({ list: [1] });
  });

  it('hide the caller’s asynchronous context from the handler', async () => {
    await Mirrors.context.run('of the caller', () => near.call(Mirror, { value: 'context' }));
    expect(Mirrors.received).toEqual(['none']);
  });

  it('pass request id and deadline on, share the limits with NATS, and end at their deadline', async () => {
    const context = { requestId: 'r-1', deadlineAt: Date.now() + 500 };
    const first = outcome(near.call(Work, { what: 'wait' }, context));
    await eventually(() => Worker.begun.length === 1);
    const second = outcome(far.call(Work, { what: 'hold' }, later()));
    await eventually(() => Worker.begun.length === 2);
    expect(Worker.begun[0]?.context).toEqual(context);
    for (const client of [near, far])
      expect(await outcome(client.call(Work, { what: 'x' }))).toMatchObject({ error: { error_code: 'OVERLOADED' } });
    expect(await first).toMatchObject({ error: { error_code: 'DEADLINE_EXCEEDED' } });
    Worker.release();
    expect(await second).toEqual({ response: { done: 'hold' } });
    expect(await near.call(Work, { what: 'x' })).toEqual({ done: 'x' });
  });

  it('leave room for timers in a loop', async () => {
    let isTime = false;
    setTimeout(() => (isTime = true), 1);
    while (!isTime) await near.call(Mirror, { value: 1 });
  });

  it('need no broker; a server that closes finishes them and accepts no more', async () => {
    const response = offline.call(Work, { what: 'wait' }, later());
    await eventually(() => Worker.begun.length === 1);
    const closing = server.close();
    // The broker may pass a few more on before it has ended the subscription.
    const refused = () =>
      near.call(Work, { what: 'x' }).then(
        () => null,
        (error: GatewayError) => error.error_code,
      );
    await eventually(async () => (await refused()) === 'OVERLOADED');
    Worker.release();
    expect(await response).toEqual({ done: 'wait' });
    await closing;
  });
});
