import { ConversationCreated, MessageReceived, type EventEnvelope } from '@mgw/contracts';
import { ensureStreams, newEvent } from '@mgw/events';
import { eventually, oneByOne, sideBySide, startReceiver } from '@mgw/testing';
import { sent, startDispatching } from './dispatch.fixture';

/** The events that the send service publishes for a person's first message. */
function firstMessage(conversation_id: number): [EventEnvelope, EventEnvelope] {
  const about = { at: '2026-01-02T03:04:05.678Z', business_id: 1, key: `conversation:${conversation_id}` };
  const data = { business_id: 1, conversation_id };
  const message_id = `wamid.${conversation_id}`;
  const created = newEvent(ConversationCreated, {
    ...about,
    id: `conversation.created:${conversation_id}`,
    data: { ...data, customer_phone: '919876543210', customer_name: '', first_message: 'Hi' },
  });
  const received = newEvent(MessageReceived, {
    ...about,
    id: `message.received:1:${message_id}`,
    data: { ...data, message_id, from: '919876543210', from_name: '', type: 'text', text: 'Hi' },
  });
  return [created, received];
}

async function start() {
  const dispatching = await startDispatching();
  const receiver = await startReceiver();
  dispatching.harness.onClose(() => receiver.close());
  await ensureStreams(await dispatching.harness.nc.jetstreamManager());
  await dispatching.harness.db.query(
    `INSERT INTO dispatch.webhooks (business_id, name, url, events) VALUES (1, 'w', $1, '{conversation.created,message.received,message.sent}')`,
    [receiver.url],
  );
  return {
    dispatching,
    receiver,
    /** Publishes like a relay: all at once, then waits for the acknowledgements together. */
    publish: (events: EventEnvelope[]) =>
      Promise.all(events.map((event) => dispatching.harness.publishTo(`public.${event.type}`, JSON.stringify(event)))),
  };
}

type Fixture = Awaited<ReturnType<typeof start>>;
const stop = ({ dispatching }: Fixture) => dispatching.harness.close();
const test = sideBySide(start, stop);
/** Commits of other tests flush PostgreSQL's log too, which would hide a delivery that begins too early. */
const testAlone = oneByOne(start, stop);

describe('decision 29b: two dispatchers keep the order of events within a conversation', () => {
  test('delivers message.received after conversation.created has ended', async ({ dispatching, receiver, publish }) => {
    await dispatching.harness.spawn('outbound-webhook-dispatcher');
    await dispatching.harness.spawn('outbound-webhook-dispatcher');
    const under = new Set<string>();
    const seen: string[] = [];
    receiver.respond(({ body }, response) => {
      const { event, data } = JSON.parse(body) as { event: string; data: { conversation_id: number } };
      const id = `${event}:${data.conversation_id}`;
      seen.push(under.has(`conversation.created:${data.conversation_id}`) ? `${id} too early` : id);
      under.add(id);
      setTimeout(() => {
        under.delete(id);
        response.writeHead(200).end();
      }, 20);
    });
    const expected: string[] = [];
    for (let conversation = 1; conversation <= 60; conversation++) {
      await publish(firstMessage(conversation));
      expected.push(`conversation.created:${conversation}`, `message.received:${conversation}`);
      // Each of the two may be the next to consume when nothing is in progress.
      await dispatching.ended(2 * conversation);
    }
    expect(seen).toEqual(expected);
  });

  test('keeps the order when PostgreSQL terminates connections in the middle of statements', async ({ dispatching, receiver, publish }) => {
    await dispatching.run();
    await dispatching.run();
    const [conversations, each] = [4, 60];
    const received = new Map<number, number[]>();
    receiver.respond(({ body }, response) => {
      const { conversation_id, message_id } = (JSON.parse(body) as { data: { conversation_id: number; message_id: string } }).data;
      received.set(conversation_id, [...(received.get(conversation_id) ?? []), Number(message_id.split('.').at(-1))]);
      setTimeout(() => response.writeHead(200).end(), 2);
    });
    const attempts = () => receiver.requests.length;
    const cut = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    for (let number = 0; number < each; number++) {
      await publish(Array.from({ length: conversations }, (_, i) => sent(number * conversations + i, { conversation_id: i + 1 })));
      if (number % 4 > 0) continue;
      const before = attempts();
      // Every second time it terminates only connections that run a statement.
      await dispatching.harness.db.query(number % 8 === 0 ? cut : `${cut} AND state = 'active'`).catch(() => undefined);
      await eventually(() => attempts() > before);
    }
    await dispatching.ended(conversations * each);
    for (const numbers of received.values()) {
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      expect(new Set(numbers).size).toBe(each);
    }
    expect(received.size).toBe(conversations);
  });

  testAlone(
    'begins a delivery only when a crash of PostgreSQL can no longer lose the end of the one before',
    async ({ dispatching, receiver, publish }) => {
      const { db } = dispatching.harness;
      await db.query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`);
      await db.query('CREATE TABLE dispatch.ends (at pg_lsn)');
      await db.query(`CREATE FUNCTION dispatch.note_end() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN INSERT INTO dispatch.ends VALUES (pg_current_wal_insert_lsn()); RETURN NULL; END $$`);
      await db.query(`CREATE TRIGGER ends AFTER UPDATE ON dispatch.deliveries FOR EACH ROW
      WHEN (NEW.state = 'succeeded') EXECUTE FUNCTION dispatch.note_end()`);
      const onDisk: (boolean | null)[] = [];
      receiver.respond((_request, response) => {
        void db
          .query<{ safe: boolean | null }>('SELECT max(at) < pg_current_wal_flush_lsn() AS safe FROM dispatch.ends')
          .then(([row]) => onDisk.push(row?.safe ?? null))
          .finally(() => response.writeHead(200).end());
      });
      await publish(Array.from({ length: 12 }, (_, number) => sent(number, { conversation_id: 1 })));
      await dispatching.run();
      await dispatching.ended(12);
      expect(onDisk).toEqual([null, ...Array<boolean>(11).fill(true)]);
    },
  );

  test('keeps the order when a dispatcher is killed, and the other continues soon', async ({ dispatching, receiver, publish }) => {
    const victim = await dispatching.harness.spawn('outbound-webhook-dispatcher');
    await publish([sent(0, { conversation_id: 1 })]);
    await dispatching.ended(1);
    await dispatching.harness.spawn('outbound-webhook-dispatcher');
    const [expected, seen] = [Array.from({ length: 61 }, (_, i) => `message.sent:wamid.1.${i}`), new Set([`message.sent:wamid.1.0`])];
    receiver.respond(({ headers }, response) => {
      seen.add(String(headers['webhook-id']));
      response.writeHead(200).end();
      if (seen.size === 5) void victim.kill('SIGKILL');
    });
    for (let number = 1; number <= 60; number++) await publish([sent(number, { conversation_id: 1 })]);
    await victim.exited;
    await dispatching.ended(61);
    expect([...seen]).toEqual(expected);
  });
});
