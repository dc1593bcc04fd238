import type { EventEnvelope } from '@mgw/contracts';
import { ensureStreams } from '@mgw/events';
import { eventually, sideBySide, startReceiver, type Receiver } from '@mgw/testing';
import { capacityBeside } from './capacity';
import { DeliveriesStore } from './deliveries.store';
import { sent, startDispatching, type Dispatching } from './dispatch.fixture';

const WEBHOOKS = 20;

interface Fixture {
  dispatching: Dispatching;
  receiver: Receiver;
  /** Publishes as a relay does under load: many events in one message. */
  publish(events: EventEnvelope[]): Promise<void>;
}

async function start(): Promise<Fixture> {
  const dispatching = await startDispatching();
  const receiver = await startReceiver();
  dispatching.harness.onClose(() => receiver.close());
  await ensureStreams(await dispatching.harness.nc.jetstreamManager());
  await dispatching.store(Array.from({ length: WEBHOOKS }, (_, n) => `${receiver.url}/${n}`));
  const publish = async (events: EventEnvelope[]) => {
    for (let at = 0; at < events.length; at += 50)
      await dispatching.harness.publishTo('public.message.sent', JSON.stringify(events.slice(at, at + 50)));
  };
  return { dispatching, receiver, publish };
}

const test = sideBySide(start, ({ dispatching }) => dispatching.harness.close());
const events = (count: number, of: { business_id?: number; conversations?: number } = {}) =>
  Array.from({ length: count }, (_, n) => sent(n, { business_id: of.business_id, conversation_id: 1 + (n % (of.conversations ?? count)) }));

/** Adds events to the backlog, as another dispatcher that died. */
const store = ({ dispatching }: Fixture, added: EventEnvelope[]) =>
  dispatching.harness.db.query(
    `INSERT INTO dispatch.backlog (business_id, event_id, event, ordering_key, body)
     SELECT e.business_id, e.id, e.type, e.key, json_build_object('event', e.type, 'timestamp', e.at, 'data', e.data)::text
     FROM json_to_recordset($1) AS e (business_id bigint, id text, type text, key text, at text, data json)`,
    [JSON.stringify(added)],
  );

describe('decision 804: events of a business that has many webhooks', () => {
  test('guarantees §10, N2: make the event of another business wait for a part of their deliveries only', async ({
    dispatching,
    publish,
  }) => {
    const { harness } = dispatching;
    const victim = await startReceiver();
    harness.onClose(() => victim.close());
    let made: Promise<{ n: number }[]> | undefined;
    victim.respond((_, response) => {
      made ??= harness.db.query<{ n: number }>('SELECT count(*)::integer AS n FROM dispatch.deliveries WHERE business_id = 1');
      response.writeHead(200).end();
    });
    await dispatching.store([victim.url], 2);
    const count = 600;
    await publish([...events(count), sent(0, { business_id: 2 })]);
    await dispatching.harness.spawn('outbound-webhook-dispatcher');
    await eventually(() => made !== undefined);
    expect((await made)?.[0]?.n).toBeLessThan((count * WEBHOOKS) / 2);
  });

  test('§4, D1, decision 29b: reach each webhook once and in order, although a dispatcher dies', async ({
    dispatching,
    receiver,
    publish,
  }) => {
    const victim = await dispatching.harness.spawn('outbound-webhook-dispatcher');
    const [conversations, count] = [4, 200];
    const seen = new Map<string, string[]>();
    receiver.respond(({ path, headers, body }, response) => {
      const { conversation_id } = (JSON.parse(body) as { data: { conversation_id: number } }).data;
      const lane = `${path} ${conversation_id}`;
      const id = String(headers['webhook-id']);
      // The survivor repeats the attempts of the dead one.
      if (!seen.get(lane)?.includes(id)) seen.set(lane, [...(seen.get(lane) ?? []), id]);
      response.writeHead(200).end();
      if (receiver.requests.length === 100) void victim.kill('SIGKILL');
    });
    const all = events(count, { conversations });
    await publish(all);
    await eventually(() => receiver.requests.length > 0);
    await dispatching.harness.spawn('outbound-webhook-dispatcher');
    await victim.exited;
    await dispatching.ended(count * WEBHOOKS, 120_000);
    expect(seen.size).toBe(conversations * WEBHOOKS);
    for (const [lane, ids] of seen) {
      const conversation = Number(lane.split(' ')[1]);
      expect(ids).toEqual(all.flatMap(({ id, key }) => (key === `conversation:${conversation}` ? [id] : [])));
    }
    const numbers = await dispatching.harness.db.query<{ seq: string }>('SELECT seq FROM dispatch.feed_events ORDER BY seq');
    expect(numbers.map(({ seq }) => Number(seq))).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  });

  test('wait behind those that wait already', async ({ dispatching, publish, ...fixture }) => {
    await store({ dispatching, publish, ...fixture }, [sent(0, { conversation_id: 1 })]);
    await dispatching.harness.db.query(`INSERT INTO dispatch.workers VALUES ('w', now() + interval '1 hour')`);
    const deliveries = new DeliveriesStore(dispatching.harness.db);
    const later = await deliveries.expand([sent(1, { conversation_id: 1 }), sent(0, { business_id: 2 })], capacityBeside([]), 'w');
    expect([later.backlog, later.claimed]).toEqual([true, []]);
    const next = await deliveries.nextOfBacklog('0');
    expect(next.map(({ event_id }) => event_id)).toEqual([0, 1].map((n) => `message.sent:wamid.1.${n}`));
    await deliveries.expandBacklog(next, capacityBeside([]), 'w');
    expect([await deliveries.nextOfBacklog('0'), await dispatching.states()]).toEqual([[], { pending: 2 * WEBHOOKS }]);
    // Another dispatcher that had read the same part makes nothing of it.
    await deliveries.expandBacklog(next, capacityBeside([]), 'w');
    expect(await dispatching.states()).toEqual({ pending: 2 * WEBHOOKS });
  });

  test('are taken in parts of bounded size, by turns of the businesses, and the first one whatever its size', async (fixture) => {
    const large = Array.from({ length: 4 }, (_, n) => sent(n, { text: 'x'.repeat(100_000) }));
    await store(fixture, [...large, ...events(600, { business_id: 2 })]);
    const deliveries = new DeliveriesStore(fixture.dispatching.harness.db);
    const sizes = [];
    for (let after = '0'; sizes.length < 3;) {
      const next = await deliveries.nextOfBacklog(after);
      after = next[0]?.business_id ?? '0';
      sizes.push([after, next.length]);
    }
    // A body of 100 kB counts as 25 events. The second business has no webhook, so each event counts as one delivery.
    expect(sizes).toEqual([
      ['1', 2],
      ['2', 512],
      ['1', 2],
    ]);
  });

  test('delay no other business while their deliveries fail', async (fixture) => {
    const { db } = fixture.dispatching.harness;
    await db.query(`CREATE FUNCTION dispatch.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`);
    await db.query(`CREATE TRIGGER refused BEFORE INSERT ON dispatch.deliveries FOR EACH ROW
      WHEN (NEW.business_id = 1) EXECUTE FUNCTION dispatch.refuse()`);
    await fixture.dispatching.store([`${fixture.receiver.url}/other`], 2);
    await store(fixture, [sent(0), sent(0, { business_id: 2 })]);
    await fixture.dispatching.harness.spawn('outbound-webhook-dispatcher');
    await eventually(() => fixture.receiver.requests.length === 1);
    await db.query('DROP TRIGGER refused ON dispatch.deliveries');
    await fixture.dispatching.ended(1 + WEBHOOKS);
  });
});
