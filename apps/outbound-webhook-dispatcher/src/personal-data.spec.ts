import { eraseFrom, FORMER_OWNER, OWNER, PASSED } from '@mgw/harness';
import { eventually, startReceiver } from '@mgw/testing';
import { sent, startDispatching } from './deliveries/dispatch.fixture';

it('decision 704: an erasure deletes the deliveries, events and dead letters of the person’s conversations, and leaves those of another owner of the number', async () => {
  const dispatching = await startDispatching();
  const { harness } = dispatching;
  await dispatching.run();
  const receiver = await startReceiver();
  harness.onClose(receiver.close);
  await dispatching.create({ url: receiver.url });
  // PostgreSQL cannot read JSON with an escaped NUL.
  const texts = ['To the former owner \u0000', 'To the owner'];
  await harness.publish(...texts.map((text, i) => sent(i, { conversation_id: i + 1, text })));
  const at = new Date().toISOString();
  const change = { phone: PASSED.number, state: 'opted_out', previous_state: null, source: 'person', at, business_id: 1 } as const;
  // Only the feed has this one, and its body names no conversation.
  await harness.db.query(
    `INSERT INTO dispatch.feed_events (business_id, seq, event_id, event, body) VALUES (1, 99, 'changed', 'suppression.changed', $1)`,
    [JSON.stringify({ event: 'suppression.changed', timestamp: at, data: change })],
  );
  const letters = [1, 2].map((conversation_id) => JSON.stringify(sent(10 + conversation_id, { conversation_id })));
  await harness.db.query(
    `INSERT INTO dispatch.dead_letters (consumer, subject, body, reason, attempts) SELECT 'c', 's', body, 'r', 1 FROM unnest($1::text[]) AS body`,
    [letters],
  );
  await dispatching.ended(texts.length);
  const left = async () => {
    const rows = await harness.db.query<{ event_id: string }>(
      'SELECT event_id FROM dispatch.deliveries UNION ALL SELECT event_id FROM dispatch.feed_events UNION ALL SELECT event_id FROM dispatch.dead_letters',
    );
    return rows.map(({ event_id }) => event_id).sort();
  };
  await eventually(async () => (await left()).length === 7);
  await eraseFrom(harness.rpc, 'outbound-webhook-dispatcher', OWNER);
  expect(await left()).toEqual(['message.sent:wamid.1.0', 'message.sent:wamid.1.0', 'message.sent:wamid.1.11']);
  await eraseFrom(harness.rpc, 'outbound-webhook-dispatcher', FORMER_OWNER);
  expect(await left()).toEqual([]);
  await harness.close();
});

it('decision 730: an erasure goes by the time of an event, even if its copy was stored later, and leaves the events of a later owner', async () => {
  const { harness, run } = await startDispatching();
  await run();
  const requested_at = new Date(Date.now() - 3_600_000).toISOString();
  const times = [new Date(Date.now() - 7_200_000).toISOString(), new Date().toISOString()];
  const names = { phone: PASSED.number };
  await harness.db.query(
    `INSERT INTO dispatch.feed_events (business_id, seq, event_id, event, body) SELECT 1, seq, 'e', 'suppression.changed', body
     FROM unnest($1::text[]) WITH ORDINALITY AS b (body, seq)`,
    [times.map((timestamp) => JSON.stringify({ event: 'suppression.changed', timestamp, data: names }))],
  );
  await harness.db.query(
    `INSERT INTO dispatch.dead_letters (consumer, subject, body, reason, attempts) SELECT 'c', 's', body, 'r', 1 FROM unnest($1::text[]) AS body`,
    [times.map((at) => JSON.stringify({ id: 'e', type: 'message', at, business_id: 1, key: 'person:1', data: names }))],
  );
  await eraseFrom(harness.rpc, 'outbound-webhook-dispatcher', { ...OWNER, requested_at });
  const left = await harness.db.query<{ body: string }>(
    'SELECT body FROM dispatch.feed_events UNION ALL SELECT body FROM dispatch.dead_letters',
  );
  expect(left.map(({ body }) => body.includes(times[1] ?? ''))).toEqual([true, true]);
  await harness.close();
});

it('decision 804: an erasure deletes the events of the person’s conversations from the backlog', async () => {
  const { harness, run, store } = await startDispatching();
  await store(['http://127.0.0.1:9/']);
  // They stay in the backlog, because making their deliveries fails.
  await harness.db.query(`CREATE FUNCTION dispatch.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`);
  await harness.db.query('CREATE TRIGGER refused BEFORE INSERT ON dispatch.deliveries FOR EACH ROW EXECUTE FUNCTION dispatch.refuse()');
  await run();
  await harness.db.query(
    `INSERT INTO dispatch.backlog (business_id, event_id, event, ordering_key, body)
     SELECT 1, key, 'message.sent', key, '{}' FROM unnest('{conversation:1,conversation:2}'::text[]) AS key`,
  );
  await eraseFrom(harness.rpc, 'outbound-webhook-dispatcher', OWNER);
  expect(await harness.db.query('SELECT event_id FROM dispatch.backlog')).toEqual([{ event_id: 'conversation:1' }]);
  await harness.close();
});
