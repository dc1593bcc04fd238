import { createHmac, randomBytes } from 'node:crypto';
import {
  ConnectionChanged,
  ListConnections,
  ReceivePlatformWebhook,
  VerifyPlatformHandshake,
  type GatewayError,
  type ListedConnection,
} from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { Sealer } from '@mgw/sealing';
import { deadLetters, startService } from '@mgw/service';
import { createLogger } from '@mgw/telemetry';
import { eventually, logLines } from '@mgw/testing';
import { AckPolicy } from 'nats';
import { listedConnection } from '../connections/listed-connection.fixture';
import { service } from '../main';

const SMALL_HEAP = { NODE_OPTIONS: '--max-semi-space-size=4 --max-old-space-size=128' };
const LONG = { timeoutMs: 120_000 };
const text = (id: string, from = '919876543210', body = 'Hi') => ({ from, id, timestamp: '1767323045', type: 'text', text: { body } });
const inGroup = (message: object) => ({ ...message, group_id: 'Y2FwaV9ncm91cDox' });
const status = (id: string) => ({ id, status: 'sent', timestamp: '1767323045', recipient_id: '919876543210' });
const envelope = (value: object, business = 1) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: `80${business}`, changes: [{ field: 'messages', value: { metadata: { phone_number_id: `70${business}` }, ...value } }] }],
});

describe('hostile callbacks (guarantees §10)', () => {
  let harness: Harness;
  let connections: ListedConnection[];

  beforeEach(async () => {
    harness = await startHarness(service);
    connections = [1, 2, 3].map((id) => connection(id));
    harness.respond(ListConnections, ({ after_business_id }) => ({
      connections: connections.filter(({ business_id }) => business_id > after_business_id).slice(0, 500),
    }));
  });
  afterEach(() => harness.close());

  const connection = (business_id: number) => listedConnection(harness.sealer, business_id);
  const bytesOf = (payload: unknown) => Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload));
  const sign = (body: Buffer, business: number) => `sha256=${createHmac('sha256', `secret ${business}`).update(body).digest('hex')}`;
  const call = (body: Buffer, signature: string) =>
    harness.rpc.call(ReceivePlatformWebhook, { body_base64: body.toString('base64'), signature }).then(
      (reply) => reply.status as number,
      (error: GatewayError) => error.error_code,
    );
  const post = (payload: unknown, business = 1) => {
    const body = bytesOf(payload);
    return call(body, sign(body, business));
  };
  /** WhatsApp retries a callback that was refused for lack of room. */
  const postUntilStored = (payload: unknown, business = 1) =>
    eventually(async () => {
      const status = await post(payload, business);
      return typeof status === 'string' ? false : status;
    }, LONG);
  const number = async (sql: string) => Number((await harness.db.query<{ n: string }>(`SELECT ${sql} AS n`))[0]?.n);
  const count = (table: string) => number(`(SELECT count(*) FROM ingest.${table})`);
  const letterBytes = () => number('(SELECT coalesce(sum(length(body)), 0) FROM ingest.dead_letters)');
  const letters = (...args: string[]) => deadLetters(service, args, harness.env);
  const published = async (type: string, id: string) =>
    eventually(async () => (await harness.published(type)).find((event) => event.id.includes(id)), LONG);
  const isSplit = () => eventually(async () => (await count('callbacks WHERE split_at IS NULL')) === 0, LONG);

  describe('N1: signed callbacks that fill the memory, with a heap of 128 MB', () => {
    const filler = 'x'.repeat(150_000);
    const large = 'x'.repeat(2_700_000);
    const invalid = (n: number) => Array.from({ length: n }, (_, id) => ({ id }));
    const cases: [string, () => unknown, number][] = [
      [
        'thousands of invalid updates and a long text',
        () => envelope({ contacts: [{ wa_id: '1', profile: { name: filler } }], messages: invalid(4_000) }),
        200,
      ],
      [
        'as many in a larger one, which is split after the response',
        () => envelope({ filler: 'x'.repeat(300_000), messages: invalid(4_900) }),
        200,
      ],
      [
        'a million numbers as messages',
        () => `{"entry":[{"changes":[{"field":"messages","value":{"messages":[${'0,'.repeat(1_000_000)}0]}}]}]}`,
        200,
      ],
      [
        'a million empty objects',
        () => `{"entry":[{"changes":[{"field":"messages","value":{"messages":[${'{},'.repeat(1_000_000)}0]}}]}]}`,
        200,
      ],
      ['20,000 good updates', () => envelope({ statuses: Array.from({ length: 20_000 }, (_, i) => status(`w${i}`)) }), 200],
      [
        'a name of 2.7 MB that 1,000 messages share',
        () =>
          envelope({
            contacts: [{ wa_id: '919876543210', profile: { name: large } }],
            messages: Array.from({ length: 1_000 }, (_, i) => text(`w${i}`)),
          }),
        200,
      ],
      ['a text of 2.7 MB', () => envelope({ messages: [text('wamid.large', '919876543210', large)] }), 200],
      [
        'a field name of 2.7 MB',
        () => ({
          entry: [{ id: '801', changes: Array.from({ length: 50 }, () => ({ field: 'x' })).concat({ field: `message_template${large}` }) }],
        }),
        200,
      ],
    ];

    it('responds to each, survives, and stores fewer bytes of letters than it received', async () => {
      const child = await harness.spawn('platform-webhook-ingest', SMALL_HEAP);
      let died = false;
      void child.exited.then(() => (died = true));
      let sent = 0;
      for (const [name, payload, expected] of cases) {
        const body = bytesOf(payload());
        sent += body.length;
        expect([name, await postUntilStored(body.toString())]).toEqual([name, expected]);
        await isSplit();
        expect([name, died]).toEqual([name, false]);
      }
      expect(await letterBytes()).toBeLessThan(sent + cases.length * 512 * 1024);
      expect(await count('dead_letters')).toBeLessThan(cases.length * 100);
      const message = await published('message', 'w999');
      expect((message.data as { from: { name: string } }).from.name.length).toBeLessThanOrEqual(512);
      expect(await postUntilStored(envelope({ messages: [text('wamid.good')] }, 2), 2)).toBe(200);
      await published('message', 'wamid.good');
    }, 240_000);

    it('stores or refuses each of sixty callbacks of 2.7 MB, ten at once, and serves another business', async () => {
      const child = await harness.spawn('platform-webhook-ingest', SMALL_HEAP);
      let died = false;
      void child.exited.then(() => (died = true));
      const results = new Set<number | string>();
      for (let round = 0; round < 6; round++) {
        const ten = Array.from({ length: 10 }, (_, i) =>
          post(envelope({ messages: [text(`wamid.${round}.${i}`, '919876543210', large)] })),
        );
        for (const result of await Promise.all(ten)) results.add(result);
      }
      // A refusal may come too late on a slow machine; the platform retries both.
      expect([...results].filter((result) => !['OVERLOADED', 'DEADLINE_EXCEEDED'].includes(String(result)))).toEqual([200]);
      expect(await postUntilStored(envelope({ messages: [text('wamid.good')] }, 2), 2)).toBe(200);
      await published('message', 'wamid.good');
      await isSplit();
      expect(died).toBe(false);
      const [listed = ''] = (await letters('list')).split('\n').slice(1);
      expect(listed).toContain('WhatsApp sends no such update');
    }, 240_000);
  });

  describe('N4, decision 740: signed callbacks that fill the disk', () => {
    /** Random texts, which PostgreSQL cannot compress. */
    const padded = (bytes: number, content: object = {}) => ({ ...content, filling: randomBytes(bytes / 2).toString('hex') });
    /** Names the account of business 1. Otherwise the checks of all secrets would use up their budget on a fast machine. */
    const withoutUpdates = (bytes: number) => padded(bytes, { entry: [{ id: '801', changes: [] }] });
    const bodyBytes = () => number('(SELECT coalesce(sum(octet_length(body)), 0) FROM ingest.callbacks)');

    it('keeps no body of a large callback without updates, and still knows a repeat', async () => {
      await harness.run(service);
      const large = JSON.stringify(withoutUpdates(2_900_000));
      expect([await post(large), await post(padded(300_000, envelope({ messages: [text('wamid.group')].map(inGroup) })))]).toEqual([
        200, 200,
      ]);
      await isSplit();
      expect(await bodyBytes()).toBe(0);
      expect(await post(large)).toBe(200);
      await isSplit();
      expect([await count('callbacks'), await count('dead_letters'), await bodyBytes()]).toEqual([2, 0, 0]);
    });

    it('keeps the body of a large callback with an event or a dead letter, and of a small one', async () => {
      await harness.run(service);
      const callbacks = [
        padded(100_000, envelope({ messages: [text('wamid.1')] })),
        padded(100_000, envelope({ messages: [{ id: 'bad' }] })),
        { entry: [{ id: '801', changes: [{ field: 'account_alerts', value: { alert_type: 'OBA_APPROVED' } }] }] },
      ];
      for (const callback of callbacks) expect(await post(callback)).toBe(200);
      await isSplit();
      expect(await bodyBytes()).toBe(callbacks.reduce((sum, callback) => sum + bytesOf(callback).length, 0));
    });

    it('refuses further callbacks of a business that stored its share, by their bytes or their updates; others continue', async () => {
      await harness.run(service, { CALLBACK_MB_PER_HOUR: '10' });
      for (let n = 1; n <= 4; n++) expect(await post(withoutUpdates(2_900_000))).toBe(200);
      expect(await post(envelope({ messages: [text('wamid.1')] }))).toBe('OVERLOADED');
      const tiny = (round: number) => envelope({ statuses: Array.from({ length: 5_000 }, (_, i) => status(`w${round}.${i}`)) }, 2);
      for (let n = 1; n <= 4; n++) expect(await post(tiny(n), 2)).toBe(200);
      expect(await post(envelope({ messages: [text('wamid.2')] }, 2), 2)).toBe('OVERLOADED');
      expect(await post(envelope({ messages: [text('wamid.3')] }, 3), 3)).toBe(200);
      await published('message', 'wamid.3');
    });

    it('counts no repeat', async () => {
      await harness.run(service, { CALLBACK_MB_PER_HOUR: '10' });
      const large = withoutUpdates(2_900_000);
      for (let n = 1; n <= 6; n++) expect(await post(large)).toBe(200);
      expect(await post(envelope({ messages: [text('wamid.1')] }))).toBe(200);
    });
  });

  describe('N3: a callback that ends the process', () => {
    const large = (id: string, business: number) => ({ ...envelope({ messages: [text(id)] }, business), filler: 'x'.repeat(100_000) });

    it('is set aside after three beginnings; the others are split, and a replay publishes it', async () => {
      // The process dies whenever it splits a stored callback.
      for (let n = 1; n <= 3; n++) {
        const child = await harness.spawn('platform-webhook-ingest', { CRASH_AT: 'ingest.splitting' });
        if (n === 1) await post(large('wamid.poison', 1));
        expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
      }
      const child = await harness.spawn('platform-webhook-ingest', { CRASH_AT: 'ingest.splitting' });
      await eventually(async () => (await count('dead_letters')) === 1, LONG);
      expect(await post(envelope({ messages: [text('wamid.small')] }))).toBe(200);
      await published('message', 'wamid.small');
      await child.kill();
      expect((await letters('list')).split('\n')[1]).toContain('splitting it ended the process 3 times');

      await harness.run(service);
      expect(await postUntilStored(large('wamid.next', 2), 2)).toBe(200);
      await published('message', 'wamid.next');
      expect(await letters('replay', 'all')).toBe('1 replayed.');
      await published('message', 'wamid.poison');
    }, 240_000);

    it('stays a dead letter after three replays that ended the process', async () => {
      await harness.db.query(
        `INSERT INTO ingest.dead_letters (consumer, subject, body, reason, attempts, businesses, replay_requested_at)
         VALUES ('splitter', '(all)', $1, 'r', 1, '{1}', now())`,
        [JSON.stringify(envelope({ messages: [text('wamid.poison')] }))],
      );
      for (let n = 1; n <= 3; n++) {
        const child = await harness.spawn('platform-webhook-ingest', { CRASH_AT: 'ingest.replaying' }).catch(() => undefined);
        if (child) expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
      }
      await harness.spawn('platform-webhook-ingest', { CRASH_AT: 'ingest.replaying' });
      await eventually(async () => (await count('dead_letters WHERE replay_requested_at IS NULL')) === 1, LONG);
      expect((await letters('list')).split('\n')[1]).toContain('ended the process 3 times');
    }, 240_000);
  });

  it('decision 48: publishes no event for a message of a group, and stores no letter for an unconnected number', async () => {
    await harness.run(service);
    const group = inGroup(text('wamid.group'));
    expect(await post(envelope({ messages: [group, text('wamid.private')] }))).toBe(200);
    const unconnected = {
      entry: [
        { id: '801', changes: [{ field: 'messages', value: { metadata: { phone_number_id: '799' }, messages: [text('wamid.other')] } }] },
      ],
    };
    expect(await post(unconnected)).toBe(200);
    await published('message', 'wamid.private');
    expect((await harness.published('message')).map(({ id }) => id)).toEqual(['platform.message:1:wamid.private']);
    expect(await count('dead_letters')).toBe(0);
  });

  it('sets aside a message without a person', async () => {
    await harness.run(service);
    expect(await post(envelope({ messages: [{ ...text('wamid.1'), from: undefined }] }))).toBe(200);
    await eventually(async () => (await count('dead_letters')) === 1);
    expect((await letters('list')).split('\n')[1]).toContain('the message names no person');
  });

  it('decision 707: sets aside an update of a time that is more than 30 days ahead', async () => {
    await harness.run(service);
    const inDays = (days: number) => String(Math.floor(Date.now() / 1_000) + days * 86_400);
    const statuses = [31, 40_000, 29].map((days) => ({ ...status(`wamid.${days}`), timestamp: inDays(days) }));
    const messages = [{ ...text('wamid.4'), timestamp: inDays(31) }];
    expect(await post(envelope({ messages, statuses }))).toBe(200);
    await published('status', 'wamid.29');
    expect([(await harness.published('status')).length, (await harness.published('message')).length]).toEqual([1, 0]);
    const [first, ...others] = (await letters('list')).split('\n').slice(1);
    expect([first, others.length]).toEqual([expect.stringContaining('the timestamp is more than 30 days ahead'), 2]);
  });

  describe('N2: strangers', () => {
    it('cannot stop genuine callbacks of 1,000 businesses, whatever numbers they name', async () => {
      connections = Array.from({ length: 1_000 }, (_, i) => connection(i + 1));
      await harness.spawn('platform-webhook-ingest');
      expect(await postUntilStored(envelope({ messages: [text('wamid.first')] }, 500), 500)).toBe(200);
      let over = false;
      const forged = [envelope({ messages: [text('f', '91', 'x'.repeat(50_000))] }, 7), { entry: [], filler: 'x'.repeat(50_000) }].map(
        bytesOf,
      );
      const forge = async (n: number) => {
        const results = new Set<number | string>();
        while (!over) results.add(await call(forged[n % 2] as Buffer, `sha256=${String(n).padStart(64, '0')}`));
        return results;
      };
      const forgers = Array.from({ length: 20 }, (_, n) => forge(n));
      const genuine: (number | string)[] = [];
      for (let n = 1; n <= 200; n++) genuine.push(await post(envelope({ messages: [text(`wamid.${n}`)] }, n * 5), n * 5));
      over = true;
      for (const results of await Promise.all(forgers)) expect(results).not.toContain(200);
      expect(genuine).toEqual(Array(200).fill(200));
    }, 240_000);

    describe('decision 741: callbacks of 3 MB for a number that is not connected', () => {
      const unconnected = (filling: string) => ({
        filling,
        entry: [
          { id: '8999', changes: [{ field: 'messages', value: { metadata: { phone_number_id: '7999' }, messages: [text('wamid.u')] } }] },
        ],
      });
      const large = bytesOf(unconnected('x'.repeat(2_900_000)));

      it('are accepted from any connected business, and refused when the signature is wrong', async () => {
        connections = Array.from({ length: 12 }, (_, i) => connection(i + 1));
        await harness.run(service);
        expect(await call(large, `sha256=${'0'.repeat(64)}`)).toBe(401);
        expect(await postUntilStored(large.toString(), 11)).toBe(200);
        expect([await count('callbacks'), await count('dead_letters')]).toEqual([1, 0]);
      });

      it('do not hold up other callbacks while the secrets of many businesses are tried', async () => {
        connections = Array.from({ length: 400 }, (_, i) => connection(i + 1));
        await harness.run(service);
        expect(await post(envelope({ messages: [text('wamid.first')] }))).toBe(200);
        const responses: string[] = [];
        const forged = call(large, `sha256=${'0'.repeat(64)}`).then((response) => responses.push(`forged ${response}`));
        const genuine = post(envelope({ messages: [text('wamid.second')] })).then((response) => responses.push(`genuine ${response}`));
        await Promise.all([forged, genuine]);
        expect(responses).toEqual(['genuine 200', 'forged 401']);
      });

      it('leave the budget of small ones when they are forged', async () => {
        connections = Array.from({ length: 100 }, (_, i) => connection(i + 1));
        await harness.run(service);
        const forged = (body: Buffer) => call(body, `sha256=${'0'.repeat(64)}`);
        expect(await forged(large)).toBe(401);
        expect(await post(unconnected(''), 50)).toBe(200);
        expect(await forged(bytesOf(unconnected('forged')))).toBe(401);
      });

      it('are checked even after a forged one that names a connected number, which needs no other secret', async () => {
        connections = Array.from({ length: 100 }, (_, i) => connection(i + 1));
        await harness.run(service);
        const named = bytesOf({ ...envelope({ messages: [text('wamid.n')] }), filling: 'x'.repeat(2_900_000) });
        expect(await call(named, `sha256=${'0'.repeat(64)}`)).toBe(401);
        expect(await post(large.toString(), 50)).toBe(200);
      });
    });

    it('cannot make callbacks of others wait for reads of all connections by changing their own all the time', async () => {
      connections = Array.from({ length: 20 }, (_, i) => connection(i + 1));
      let reads = 0;
      harness.respond(ListConnections, ({ after_business_id }) => {
        if (after_business_id === 0) reads += 1;
        return { connections: connections.filter(({ business_id }) => business_id > after_business_id) };
      });
      await harness.run(service);
      const change = async () => {
        harness.rpc.announce(ConnectionChanged, { business_id: 1 });
        await harness.nc.flush();
      };
      for (let n = 1; n <= 200; n++) {
        await change();
        expect(await post(envelope({ messages: [text(`wamid.${n}`)] }, 2), 2)).toBe(200);
      }
      expect(reads).toBeLessThan(100);
      connections = [...connections, { ...connection(21), phone_number_id: '799' }];
      await change();
      const connected = { metadata: { phone_number_id: '799' }, messages: [text('wamid.connected')] };
      expect(await post(envelope(connected, 21), 21)).toBe(200);
      expect((await published('message', 'wamid.connected')).business_id).toBe(21);
    });

    it('decision 47: accepts a callback without numbers from any connected business', async () => {
      connections = Array.from({ length: 300 }, (_, i) => connection(i + 1));
      await harness.run(service);
      expect(await post({ object: 'whatsapp_business_account', entry: [] }, 211)).toBe(200);
    });
  });

  it('logs a damaged secret of a connection once, however many reads changes cause', async () => {
    const damaged = { ...connection(1), verify_token_sealed: 'test.damaged' };
    const logger = createLogger('platform-webhook-ingest', 'info');
    const lines = logLines(logger);
    const replica = await startService(service, harness.env, logger);
    harness.onClose(() => replica.stop());
    for (const phone_number_id of ['711', '712', '713']) {
      connections = [damaged, { ...connection(2), phone_number_id }];
      harness.rpc.announce(ConnectionChanged, { business_id: 2 });
      await harness.nc.flush();
      expect(await post(envelope({ metadata: { phone_number_id }, messages: [text(`wamid.${phone_number_id}`)] }, 2), 2)).toBe(200);
      await published('message', `wamid.${phone_number_id}`);
    }
    expect(lines().filter(({ level }) => level === 'error')).toEqual([expect.objectContaining({ business_id: 1, name: 'verify_token' })]);
  });

  it('decision 762: lets WhatsApp retry callbacks and handshakes without a known secret while the ring lacks a key, and logs the key once', async () => {
    const logger = createLogger('platform-webhook-ingest', 'info');
    const lines = logLines(logger);
    const keyOf = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;
    const ring = `${harness.env['SEALING_KEYS']},${keyOf('old')}`;
    const replica = await startService(service, { ...harness.env, SEALING_KEYS: ring }, logger);
    harness.onClose(() => replica.stop());
    const otherRing = new Sealer(keyOf('k2'));
    const received = (business: number) => post(envelope({ messages: [text(`wamid.${business}`)] }, business), business);
    const verified = (verify_token: string) =>
      harness.rpc.call(VerifyPlatformHandshake, { mode: 'subscribe', verify_token }).then(
        ({ accepted }) => accepted,
        (error: GatewayError) => error.error_code,
      );
    const results = async () => [await received(1), await received(2), await verified('verify 1'), await verified('verify 2')];
    const errors = () => lines().filter(({ level }) => level === 'error');

    connections = [connection(1), listedConnection(otherRing, 2), listedConnection(otherRing, 3)];
    expect(await results()).toEqual([200, 'OVERLOADED', true, 'OVERLOADED']);
    harness.rpc.announce(ConnectionChanged, { business_id: 3 });
    await harness.nc.flush();
    expect(await results()).toEqual([200, 'OVERLOADED', true, 'OVERLOADED']);
    expect([await count('callbacks'), errors()]).toEqual([
      1,
      [expect.objectContaining({ msg: expect.stringContaining('lacks the key "k2"') })],
    ]);

    // A key of the ring with other bytes.
    connections = [connection(1), listedConnection(new Sealer(keyOf('old')), 2)];
    harness.rpc.announce(ConnectionChanged, { business_id: 2 });
    await harness.nc.flush();
    expect(await results()).toEqual([200, 'OVERLOADED', true, 'OVERLOADED']);
    expect(errors().slice(1)).toEqual([expect.objectContaining({ msg: expect.stringContaining('has other bytes for the key "old"') })]);

    connections = [connection(1), { ...connection(2), app_secret_sealed: 'not sealed at all', verify_token_sealed: 'test.damaged' }];
    harness.rpc.announce(ConnectionChanged, { business_id: 2 });
    await harness.nc.flush();
    expect(await results()).toEqual([200, 401, true, false]);
    expect(JSON.stringify(errors())).not.toContain('not sealed');
  });

  it('publishes the update of a number that was saved after the splitter began with waiting callbacks of other businesses', async () => {
    const waiting = [1, 2].map((id) => bytesOf(envelope({ messages: [text(`wamid.${id}`)] }, id)));
    await harness.db.query(
      `INSERT INTO ingest.callbacks (body_hash, body, businesses, lane)
       SELECT sha256(body), body, ARRAY[n], n FROM unnest($1::bytea[]) WITH ORDINALITY AS waiting (body, n)`,
      [waiting],
    );
    await harness.db.transaction(
      async (tx) => {
        await tx.query('SELECT FROM ingest.callbacks WHERE lane = 1 FOR UPDATE');
        await harness.run(service);
        const waits = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        await eventually(async () => (await harness.db.query(waits)).length > 0);
        connections = [connection(1), { ...connection(2), phone_number_id: '709' }];
        harness.rpc.announce(ConnectionChanged, { business_id: 2 });
        await harness.nc.flush();
        const saved = envelope({ metadata: { phone_number_id: '709' }, messages: [text('wamid.saved')] }, 2);
        expect(await post({ ...saved, filling: 'x'.repeat(100_000) }, 2)).toBe(200);
      },
      { mayPause: true },
    );
    await isSplit();
    expect((await published('message', 'wamid.saved')).business_id).toBe(2);
  });

  describe('N2: a flood of one business', () => {
    const CALLBACKS = 60;
    const EACH = 200;

    it('lets the first event of another pass; keeps its own in order and loses none', async () => {
      // The consumer of the send service exists but reads nothing yet.
      await harness.run(service);
      await eventually(async () => (await harness.nc.jetstreamManager()).streams.info('PLATFORM').catch(() => false));
      await (
        await harness.nc.jetstreamManager()
      ).consumers.add('PLATFORM', {
        durable_name: 'send-messages',
        ack_policy: AckPolicy.Explicit,
        filter_subject: 'platform.message',
      });
      for (let c = 0; c < CALLBACKS; c++) {
        const messages = Array.from({ length: EACH }, (_, m) => text(`wamid.flood.${c * EACH + m}`, '919800000001'));
        expect(await postUntilStored(envelope({ messages }))).toBe(200);
      }
      // The flood waits in the database; the victim's event does not.
      expect(await post(envelope({ messages: [text('wamid.victim')] }, 2), 2)).toBe(200);
      await published('message', 'wamid.victim');
      expect((await harness.published('message')).length).toBeLessThan((CALLBACKS * EACH) / 4);

      const order: number[] = [];
      const consumer = await harness.nc.jetstream().consumers.get('PLATFORM', 'send-messages');
      const subscription = await consumer.consume({
        callback: (message) => {
          for (const { id } of [message.json()].flat() as { id: string }[]) {
            const [, nth] = /flood\.(\d+)$/.exec(id) ?? [];
            if (nth !== undefined) order.push(Number(nth));
          }
          message.ack();
        },
      });
      await eventually(() => order.length >= CALLBACKS * EACH, LONG);
      subscription.stop();
      expect(order).toEqual(Array.from({ length: CALLBACKS * EACH }, (_, nth) => nth));
      await isSplit();
    }, 240_000);
  });
});
