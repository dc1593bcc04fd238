import {
  FindNewestEvents,
  FindWantedEvents,
  ListEvents,
  MessageStatusChanged,
  UpdateWebhook,
  WebhooksChanged,
  type RequestOf,
} from '@mgw/contracts';
import { ensureStreams, newEvent } from '@mgw/events';
import { eventually } from '@mgw/testing';
import { sent, startDispatching, type Dispatching } from '../deliveries/dispatch.fixture';

let dispatching: Dispatching;
afterEach(() => dispatching.harness.close());

const list = (request: Partial<RequestOf<typeof ListEvents>> = {}, withinMs = 60_000) =>
  dispatching.harness.rpc.call(ListEvents, { business_id: 1, limit: 100, ...request }, { deadlineAt: Date.now() + withinMs });
const texts = (count: number, conversation_id: number, from = 0) =>
  Array.from({ length: count }, (_, i) => sent(1_000 * conversation_id + from + i, { conversation_id }));
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

it('decision 282: a reader sees all events by number without gaps, through two replicas, a kill and an emptied NATS', async () => {
  dispatching = await startDispatching();
  const { harness } = dispatching;
  const victim = await harness.spawn('outbound-webhook-dispatcher');
  await harness.spawn('outbound-webhook-dispatcher');
  await ensureStreams(await harness.nc.jetstreamManager());
  expect(await list({ after: 0 })).toEqual({ events: [], next_after: 0, oldest: 1, gap: false });
  const seen: { seq: number; event_id: string }[] = [];
  const readUntil = (count: number) =>
    eventually(async () => {
      // NATS may give a request to a process that was just killed; nobody responds to it.
      const { events, gap } = await list({ after: seen.length, limit: 10 }, 5_000);
      seen.push(...events);
      expect([gap, seen.map(({ seq }) => seq)]).toEqual([false, range(1, seen.length)]);
      return seen.length >= count;
    });
  // A relay publishes again what it does not know to be published.
  const publish = (from: number, count: number) =>
    Promise.all(
      [1, 2, 3, 4].flatMap((conversation) =>
        texts(count, conversation, from).flatMap((event) => {
          const body = JSON.stringify(event);
          return [harness.publishTo('public.message.sent', body), harness.publishTo('public.message.sent', body)];
        }),
      ),
    );
  const published = publish(0, 40);
  await readUntil(20);
  await victim.kill('SIGKILL');
  await published;
  await readUntil(160);
  await harness.broker.kill();
  harness.broker.wipe();
  await harness.broker.start();
  await eventually(async () =>
    ensureStreams(await harness.nc.jetstreamManager()).then(
      () => true,
      () => false,
    ),
  );
  await publish(0, 50);
  await readUntil(200);
  expect(new Set(seen.map(({ event_id }) => event_id)).size).toBe(200);
  for (const conversation of [1, 2, 3, 4]) {
    const own = texts(50, conversation).map(({ id }) => id);
    expect(seen.map(({ event_id }) => event_id).filter((id) => own.includes(id))).toEqual(own);
  }
});

describe('the feed of a business (decision 350)', () => {
  beforeEach(async () => {
    dispatching = await startDispatching();
    await dispatching.run();
    await list();
  });

  it('pages by number, type and bytes, and has nothing of another business', async () => {
    const { harness } = dispatching;
    await list({ business_id: 2 });
    const large = { text: 'x'.repeat(300_000) };
    await harness.publish(...texts(3, 1), sent(1, large), sent(2, large), sent(3, { business_id: 2 }));
    await eventually(async () => (await harness.rpc.call(FindNewestEvents, { business_ids: [2, 9, 1] })).newest.join() === '1,0,5');
    const { events, ...page } = await list({ limit: 2 });
    expect(page).toEqual({ next_after: 2, oldest: 1, gap: false });
    const { id, type, at, data } = texts(1, 1)[0] as ReturnType<typeof sent>;
    expect(events[0]).toEqual({ seq: 1, event_id: id, event: type, timestamp: at, data });
    const pageAfter = async (after: number, more = {}) => {
      const { events, next_after } = await list({ after, ...more });
      return [events.map(({ seq }) => seq), next_after];
    };
    expect(await pageAfter(1)).toEqual([[2, 3, 4], 4]);
    expect(await pageAfter(4)).toEqual([[5], 5]);
    expect(await pageAfter(5)).toEqual([[], 5]);
    expect(await pageAfter(0, { types: ['ai.replied'] })).toEqual([[], 5]);
    expect(await pageAfter(0, { types: ['ai.replied', 'message.sent'], limit: 2 })).toEqual([[1, 2], 2]);
    // After a restored backup the operator lets the numbers jump: a reader at the end stays at the end.
    await harness.db.query('UPDATE dispatch.feeds SET last_seq = 1005 WHERE business_id = 1');
    expect(await pageAfter(5)).toEqual([[], 1005]);
    expect((await list({ business_id: 2 })).events.map(({ seq, event_id }) => [seq, event_id])).toEqual([[1, 'message.sent:wamid.2.3']]);
  });

  it('reports a gap when events have expired, and when the number is from after a restored backup', async () => {
    const { harness } = dispatching;
    await harness.publish(...texts(4, 1));
    await eventually(async () => (await list()).events.length === 4);
    const expire = (seq: number) =>
      harness.db.query(`UPDATE dispatch.feed_events SET created_at = now() - interval '7 days' WHERE seq <= $1`, [seq]);
    const seqs = async (after?: number) => {
      const { events, ...page } = await list({ ...(after !== undefined && { after }) });
      return [events.map(({ seq }) => seq), page];
    };
    await expire(2);
    // Retention deletes in any order.
    await harness.db.query('DELETE FROM dispatch.feed_events WHERE seq = 2');
    expect(await seqs()).toEqual([[3, 4], { next_after: 4, oldest: 3, gap: false }]);
    expect(await seqs(1)).toEqual([[3, 4], { next_after: 4, oldest: 3, gap: true }]);
    expect(await seqs(2)).toEqual([[3, 4], { next_after: 4, oldest: 3, gap: false }]);
    expect(await seqs(9)).toEqual([[3, 4], { next_after: 4, oldest: 3, gap: true }]);
    await expire(4);
    expect(await seqs()).toEqual([[], { next_after: 4, oldest: 5, gap: false }]);
    expect(await seqs(3)).toEqual([[], { next_after: 4, oldest: 5, gap: true }]);
  });

  it('holds an opt-in event from the moment that a reader or a webhook wants it, until a week after the last', async () => {
    const { harness } = dispatching;
    const announced: number[] = [];
    harness.rpc.listen(WebhooksChanged, ({ business_id }) => void announced.push(business_id));
    await harness.nc.flush();
    const status = (number: number, business_id = 1) =>
      newEvent(MessageStatusChanged, {
        id: `message.status:${number}`,
        at: '2026-01-02T03:04:05.678Z',
        business_id,
        key: 'conversation:1',
        data: {
          message_id: `wamid.${number}`,
          to: '919876543210',
          type: 'text',
          sent_by: 'api',
          status: 'read',
          previous_status: 'sent',
          occurred_at: '2026-01-02T03:04:05.678Z',
          conversation_id: 1,
          business_id,
        },
      });
    const wanted = async (business_id = 1) =>
      (await harness.rpc.call(FindWantedEvents, { business_ids: [business_id] })).wanted.flat().sort();
    const ids = async (business_id = 1) => (await list({ business_id })).events.map(({ event_id }) => event_id);
    /** Publishes the event and one that the feed always holds. */
    const publish = async (number: number, business_id = 1) => {
      await harness.publish(status(number, business_id), sent(number, { business_id }));
      await eventually(async () => (await ids(business_id)).at(-1) === `message.sent:wamid.${business_id}.${number}`);
      return (await ids(business_id)).includes(`message.status:${number}`);
    };
    expect([await publish(1), await wanted()]).toEqual([false, []]);
    await list({ types: ['message.status', 'message.sent'] });
    await list({ types: ['message.status'] });
    expect([await publish(2), await wanted()]).toEqual([true, ['message.status']]);
    await eventually(() => announced.length > 0);
    expect(announced).toEqual([1]);
    await harness.db.query('UPDATE dispatch.feed_types SET wanted_until = now()');
    expect([await publish(3), await wanted()]).toEqual([false, []]);

    await list({ business_id: 2 });
    const id = await dispatching.create({ url: 'http://127.0.0.1:9/', business_id: 2 });
    await harness.rpc.call(UpdateWebhook, { business_id: 2, id, events: ['message.status'] });
    expect([await publish(4, 2), await wanted(2)]).toEqual([true, ['message.status']]);
    await harness.rpc.call(UpdateWebhook, { business_id: 2, id, events: ['message.sent'] });
    expect([await publish(5, 2), await wanted(2)]).toEqual([true, ['message.sent', 'message.status']]);
    const [{ days } = { days: 0 }] = await harness.db.query<{ days: number }>(
      'SELECT round(extract(epoch FROM wanted_until - now()) / 86400)::integer AS days FROM dispatch.feed_types WHERE business_id = 2',
    );
    expect(days).toBe(7);
  });
});
