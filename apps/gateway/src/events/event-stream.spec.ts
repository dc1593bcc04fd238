import type { ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Type } from '@nestjs/common';
import { MessageSent } from '@mgw/contracts';
import { EventTail, newEvent, type TailedEvent } from '@mgw/events';
import type { NatsConnection } from '@mgw/nats';
import { NATS } from '@mgw/service';
import { eventually } from '@mgw/testing';
import { startDashboard, type Dashboard, type Session } from '../../test/dashboard.fixture';
import { SessionsStore } from '../sessions/sessions.store';
import { EventStreamService } from './event-stream.service';

describe('the live tail and its session (spec §10)', () => {
  let dashboard: Dashboard;
  let owner: Session;
  let business: number;

  beforeAll(async () => {
    dashboard = await startDashboard();
    dashboard.visitor.server.listen(0, '127.0.0.1');
  });
  afterAll(() => dashboard.close());
  beforeEach(async () => {
    business = await dashboard.business();
    owner = await dashboard.session('owner', business);
  });
  afterEach(() => jest.restoreAllMocks());

  const lastUsed = async () => {
    const [row] = await dashboard.db.query<{ at: string }>(`SELECT last_used_at::text AS at FROM access.sessions WHERE user_id = $1`, [
      owner.id,
    ]);
    return row?.at;
  };
  const idleFor = (hours: number) =>
    dashboard.db.query(`UPDATE access.sessions SET last_used_at = now() - make_interval(hours => $2) WHERE user_id = $1`, [
      owner.id,
      hours,
    ]);

  const sent = (business_id: number, text: string) =>
    newEvent(MessageSent, {
      ...{ id: `message.sent:${text}`, at: '2026-01-02T03:04:05.678Z', business_id, key: 'conversation:1' },
      data: { message_id: text, to: '919876543210', type: 'text', text, sent_by: 'api', conversation_id: 1, business_id },
      facts: { intent_id: 'i', api_key_id: 1, template: null, repaired: false },
    });
  const nats = () => dashboard.get(NATS as unknown as Type<NatsConnection>);
  const publish = (event: object) => nats().jetstream().publish('public.message.sent', JSON.stringify(event));

  /** Opens a stream in an idle tab. @returns what it has read, and a function that triggers its next heartbeat */
  async function watch(query = '', session = owner) {
    const intervals = jest.spyOn(global, 'setInterval');
    const { port } = dashboard.visitor.server.address() as AddressInfo;
    const leaving = new AbortController();
    const headers = { cookie: `token=${session.token}` };
    const response = await fetch(`http://127.0.0.1:${port}/api/client/events/stream${query}`, { headers, signal: leaving.signal });
    const seen = { status: response.status, text: '', ended: false };
    const read = async () => {
      for await (const bytes of response.body ?? []) seen.text += Buffer.from(bytes as Uint8Array).toString();
      seen.ended = true;
    };
    read().catch(() => undefined);
    const beat = () => intervals.mock.calls.filter(([, ms]) => ms === 4_000).forEach(([callback]) => (callback as () => void)());
    return { seen, beat, leave: () => leaving.abort() };
  }

  it('neither a new stream nor its heartbeat keeps the session alive', async () => {
    await idleFor(11);
    const before = await lastUsed();
    const { seen, beat, leave } = await watch();
    beat();
    await eventually(() => seen.text.includes('still here'));
    expect([seen.status, await lastUsed()]).toEqual([200, before]);
    leave();
  });

  it('responds once it follows the events, so that a reader misses none after the response', async () => {
    const follow = jest.spyOn(EventTail.prototype, 'follow');
    let proceed = (): void => {};
    const held = new Promise<void>((resolve) => (proceed = resolve));
    follow.mockImplementationOnce(() => held.then(() => () => undefined));
    let responded = false;
    const opening = watch().finally(() => (responded = true));
    await eventually(() => follow.mock.calls.length === 1);
    await owner.get('/api/client/me').expect(200);
    expect(responded).toBe(false);
    proceed();
    const { seen, leave } = await opening;
    expect(seen.status).toBe(200);
    leave();
  });

  it('decision 667: begins with its position, after which a reader can continue', async () => {
    const first = await watch();
    const position = await eventually(
      () => /\n\nid: ([\d.]+)\nevent: stream.started\ndata: {"is_complete":true}\n\n/.exec(first.seen.text)?.[1],
    );
    first.leave();
    await owner.get(`/api/client/events/stream?after=${position}x`).expect(400);
    const second = await watch(`?after=${position}`);
    await eventually(() => second.seen.text.includes(`id: ${position}\nevent: stream.started`));
    second.leave();
  });

  it('catches up with the newest 10,000 messages and reports that the rest is missing (guarantees §10, N2)', async () => {
    const live = await watch();
    await publish(sent(business, 'first'));
    const { seq } = await publish(sent(business, 'too-old'));
    const foreign = JSON.stringify(sent(business + 1_000, 'foreign'));
    for (let i = 0; i < 10_000; i++) nats().publish('public.message.sent', foreign);
    await publish(sent(business, 'recent'));
    await eventually(() => live.seen.text.includes('recent'));
    live.leave();
    for (const [after, isComplete] of [
      [1, false],
      [seq, false],
      [seq + 1, true],
    ] as const) {
      const { seen, leave } = await watch(`?after=${after}`);
      await eventually(() => seen.text.includes('recent') || seen.ended);
      expect(seen.text).toContain(`id: ${seq + 1}\nevent: stream.started\ndata: {"is_complete":${isComplete}}\n\n`);
      expect(seen.text).not.toContain('too-old');
      leave();
    }
  });

  it('moves the position of a reader without events, so that its next catch-up is short', async () => {
    const { seen, beat, leave } = await watch();
    const { seq } = await publish(sent(business + 1_000, 'foreign'));
    await eventually(() => {
      beat();
      return seen.text.includes(`still here\n\nid: ${seq}\nevent: stream.started\ndata: {"is_complete":true}\n\n`);
    });
    leave();
  });

  it('lets two catch-ups of a business run at once, and delays no other business (guarantees §10, N2)', async () => {
    const other = await dashboard.session('owner', await dashboard.business());
    const { server } = dashboard.visitor;
    const follow = jest.spyOn(EventTail.prototype, 'follow');
    let proceed = (): void => {};
    const held = new Promise<void>((resolve) => (proceed = resolve));
    follow.mockImplementation(() => held.then(() => () => undefined));
    let requests = 0;
    const count = () => void (requests += 1);
    server.on('request', count);
    const opening = Array.from({ length: 50 }, () => watch('?after=1'));
    await eventually(() => requests === 50 && follow.mock.calls.length >= 2);
    await owner.get('/api/client/me').expect(200);
    expect(follow).toHaveBeenCalledTimes(2);
    follow.mockRestore();
    const neighbour = await watch('?after=1', other);
    await eventually(() => neighbour.seen.text.includes('stream.started'));
    const { seen: beyond } = await watch();
    await eventually(() => beyond.ended);
    expect([beyond.status, beyond.text]).toEqual([429, expect.stringContaining('Too many event streams')]);
    proceed();
    const streams = await Promise.all(opening);
    // On a slow machine the last ones end before their turn. The first two report their position with a heartbeat.
    await eventually(() => streams.filter(({ seen }) => seen.text.includes('stream.started') || seen.ended).length >= 48);
    for (const { leave } of [neighbour, ...streams]) leave();
    server.off('request', count);
  });

  it('ends with an idle session', async () => {
    const { seen, beat } = await watch();
    await idleFor(12);
    beat();
    await eventually(() => seen.ended);
    await owner.get('/api/client/me').expect(401);
  });

  it('publishes nothing after the end, and disconnects a reader that does not read the end (guarantees §9)', async () => {
    const { server } = dashboard.visitor;
    const follow = jest.spyOn(EventTail.prototype, 'follow');
    const intervals = jest.spyOn(global, 'setInterval');
    const responses: ServerResponse[] = [];
    server.once('request', (_, response: ServerResponse) => responses.push(response));
    const reader = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    reader.write(`GET /api/client/events/stream HTTP/1.1\r\nhost: gateway\r\ncookie: token=${owner.token}\r\n\r\n`);
    await eventually(() => intervals.mock.calls.some(([, ms]) => ms === 4_000));
    const [out, consume] = [responses[0] as ServerResponse, follow.mock.calls[0]?.[1] as (tailed: TailedEvent) => boolean];
    const faults: unknown[] = [];
    out.on('error', (fault) => faults.push(fault));
    const event = { type: 'message.received', business_id: business, at: '', data: { text: 'x'.repeat(100_000) } };
    const publish = () => consume({ position: 1, event: event as never });
    // Publish until its socket buffer is full.
    await eventually(() => {
      const isStuck = out.writableLength > 150_000;
      if (!isStuck) publish();
      return isStuck;
    });
    await idleFor(12);
    intervals.mock.calls.filter(([, ms]) => ms === 4_000).forEach(([callback]) => (callback as () => void)());
    await eventually(() => out.writableEnded);
    expect([publish(), publish()]).toEqual([false, false]);
    await eventually(() => out.destroyed);
    expect(faults).toEqual([]);
    reader.destroy();
  });

  it('disconnects a slow reader whose pipelined stream waits for the response before it', async () => {
    const follow = jest.spyOn(EventTail.prototype, 'follow');
    const reader = connect((dashboard.visitor.server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    reader.resume().write(`GET /api/client/events/stream HTTP/1.1\r\nhost: gateway\r\ncookie: token=${owner.token}\r\n\r\n`.repeat(2));
    await eventually(() => follow.mock.calls.length === 2);
    const event = { type: 'message.received', business_id: business, at: '', data: { text: 'x'.repeat(100_000) } };
    // Either request may follow first, and its response may begin later. The reader reads only the first response.
    const publish = () => follow.mock.calls.map(([, consume]) => consume({ position: 1, event: event as never }));
    await eventually(() => !publish().includes(true));
    await eventually(() => reader.closed);
  });

  it('frees the places of readers that leave while their session is looked up', async () => {
    const { server } = dashboard.visitor;
    const { port } = server.address() as AddressInfo;
    const find = SessionsStore.prototype.find;
    let proceed = (): void => {};
    const held = new Promise<void>((resolve) => (proceed = resolve));
    const lookUps: Promise<unknown>[] = [];
    jest.spyOn(SessionsStore.prototype, 'find').mockImplementation(function (this: SessionsStore, ...args) {
      const found = held.then(() => find.apply(this, args));
      lookUps.push(found);
      return found;
    });
    const responses: ServerResponse[] = [];
    const count = (_: unknown, response: ServerResponse) => void responses.push(response);
    server.on('request', count);
    const readers = Array.from({ length: 50 }, () => {
      const reader = connect(port, '127.0.0.1').on('error', () => undefined);
      reader.write(`GET /api/client/events/stream HTTP/1.1\r\nhost: gateway\r\ncookie: token=${owner.token}\r\n\r\n`);
      return reader;
    });
    await eventually(() => lookUps.length === 50);
    for (const reader of readers) reader.destroy();
    await eventually(() => responses.every(({ destroyed }) => destroyed));
    server.off('request', count);
    const opened = jest.spyOn(EventStreamService.prototype, 'serve');
    proceed();
    await eventually(() => opened.mock.calls.length === 50);
    const { seen, leave } = await watch();
    expect(seen.status).toBe(200);
    leave();
  });

  it('ends a stream that opens while the gateway shuts down, so that it cannot delay the end (guarantees §8)', async () => {
    await dashboard.get(EventStreamService).beforeApplicationShutdown();
    const { seen } = await watch();
    await eventually(() => seen.ended);
    expect([seen.status, seen.text]).toEqual([200, 'retry: 2000\n\n']);
  });
});
