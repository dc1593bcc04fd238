import { ListConversations, type GatewayError } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { Database } from '@mgw/postgres';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

const SEARCHES = 300;

describe('sends during blocked searches, on a full disk and with lost connections (guarantees §10)', () => {
  let sending: Sending;
  let locker: Database;
  beforeEach(async () => {
    sending = await startSending();
    await sending.run();
    locker = await Database.open({ url: sending.harness.env['DATABASE_URL'] ?? '', schema: 'send', poolSize: 1, applicationName: 'lock' });
  });
  afterEach(async () => {
    await locker.close();
    await sending.harness.close();
  });

  const search = (business_id: number, text: string) =>
    sending.harness.rpc
      .call(ListConversations, { business_id, limit: 20, cursor: null, search: text }, { deadlineAt: Date.now() + 30_000 })
      .then(
        () => 'ok',
        (error: GatewayError) => error.error_code,
      );

  it('300 searches that wait for a lock time out and slow no send', async () => {
    const ended: string[] = [];
    const searches: Promise<unknown>[] = [];
    await locker.transaction(
      async (tx) => {
        await tx.query('LOCK TABLE send.conversation_words IN ACCESS EXCLUSIVE MODE');
        for (let i = 0; i < SEARCHES; i++) searches.push(search(1 + (i % 3), 'asha').then((code) => ended.push(code)));
        await eventually(
          async () =>
            Number(
              (
                await sending.harness.db.query<{ n: string }>(
                  `SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'relation'`,
                )
              )[0]?.n,
            ) > 0,
        );
        for (let i = 0; i < 10; i++)
          expect(await sending.template({ business_id: 2 }, { to: `91987654321${i}` })).toMatchObject({
            message_id: expect.any(String) as string,
          });
        await Promise.all(searches);
      },
      { mayPause: true },
    );
    expect(ended).toHaveLength(SEARCHES);
    expect(new Set(ended)).toEqual(new Set(['QUERY_TIMEOUT', 'OVERLOADED']));
    expect(await search(1, 'asha')).toBe('ok');
  });

  it('guarantees §10, N2: a conversation that a transaction holds delays no send, and its reply is recorded afterwards', async () => {
    await sending.harness.publish(inboundEvent({ sent_at: new Date().toISOString() }));
    const waiting = 'SELECT FROM send.conversations WHERE waiting_since IS NOT NULL';
    await eventually(async () => (await locker.query(waiting)).length === 1);
    await locker.transaction(
      async (tx) => {
        await tx.query('SELECT FROM send.conversations FOR NO KEY UPDATE');
        const accepted = { message_id: expect.any(String) as string };
        const sends = [sending.text(), sending.template({ business_id: 2, api_key_id: 2 })];
        expect(await Promise.all(sends)).toMatchObject([accepted, accepted]);
        // The reply still waits for this transaction.
        const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        await eventually(async () => (await sending.harness.db.query(waits)).length > 0);
      },
      { mayPause: true },
    );
    await eventually(async () => (await locker.query(waiting)).length === 0);
  });

  it.each([
    ['number', '919876543299'],
    ['wa_id', '919876543298'],
  ])('guarantees §10, N2: a person whose %s a transaction holds delays no send to others', async (_, waId) => {
    const to = '919876543299';
    sending.platform.respond((request, response) => {
      const { to: input } = JSON.parse(request.body) as { to: string };
      const contacts = [{ input, wa_id: input === `+${to}` ? waId : input.slice(1) }];
      const id = `wamid.${sending.platform.calls().length}`;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ contacts, messages: [{ id }] }));
    });
    const accepted = { message_id: expect.any(String) as string };
    const held = await locker.transaction(
      async (tx) => {
        await tx.query('SELECT FROM send.find_conversations(ARRAY[1], ARRAY[$1])', [waId]);
        const waits = `SELECT pid, query_start FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        const waiting = async () => sending.harness.db.query(waits);
        const send = sending.template({}, { to });
        const wait = await eventually(async () => (await waiting())[0]);
        for (const business_id of [2, 1]) expect(await sending.template({ business_id, api_key_id: business_id })).toMatchObject(accepted);
        expect(await waiting()).toEqual([wait]);
        return { send };
      },
      { mayPause: true },
    );
    expect(await held.send).toMatchObject({ ...accepted, phone: to });
    await eventually(async () => (await sending.harness.published('message.sent')).length === 3);
  });

  it('refuses a send on a full disk without a platform call, and accepts the next one when space is free', async () => {
    await locker.query(`CREATE FUNCTION send.refuse_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE 'could not extend file' USING ERRCODE = 'disk_full'; END $$`);
    await locker.query('CREATE TRIGGER full_disk BEFORE INSERT ON send.intents FOR EACH ROW EXECUTE FUNCTION send.refuse_row()');
    expect(await sending.template()).toMatchObject({
      error_code: 'OVERLOADED',
      message: 'The database has no room left, so nothing was stored. Try again later.',
    });
    expect(sending.platform.calls()).toHaveLength(0);
    await locker.query('DROP TRIGGER full_disk ON send.intents');
    expect(await sending.template()).toMatchObject({ message_id: expect.any(String) as string });
  });

  it('guarantees §1, S3: records an acceptance again when its connection is lost, within the time of its caller', async () => {
    // A sequence keeps its value when its statement is rolled back.
    await locker.query('CREATE SEQUENCE send.recordings');
    await locker.query(`CREATE FUNCTION send.end_connection_once() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('send.recordings') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
      RETURN NEW; END $$`);
    await locker.query('CREATE TRIGGER ended BEFORE INSERT ON send.messages FOR EACH ROW EXECUTE FUNCTION send.end_connection_once()');
    expect(await sending.template()).toMatchObject({ message_id: expect.any(String) as string });
    expect(await locker.query('SELECT last_value, is_called FROM send.recordings')).toEqual([{ last_value: '2', is_called: true }]);
    expect(sending.platform.calls()).toHaveLength(1);
  });
});
