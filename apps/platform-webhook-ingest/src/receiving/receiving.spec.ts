import { createHmac } from 'node:crypto';
import {
  ConnectionChanged,
  GatewayError,
  GetCallbackTimes,
  ListConnections,
  ReceivePlatformWebhook,
  VerifyPlatformHandshake,
  type ListedConnection,
  type EventEnvelope,
} from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import { deadLetters } from '@mgw/service';
import { eventually } from '@mgw/testing';
import { listedConnection } from '../connections/listed-connection.fixture';
import { service } from '../main';

const text = (id: string, from = '919876543210') => ({ from, id, timestamp: '1767323045', type: 'text', text: { body: 'Hi' } });
const status = (id: string, word: string) => ({ id, status: word, timestamp: '1767323045', recipient_id: '919876543210' });
const envelope = (value: object, number = '701', account = '801') => ({
  object: 'whatsapp_business_account',
  entry: [{ id: account, changes: [{ field: 'messages', value: { metadata: { phone_number_id: number }, ...value } }] }],
});

describe('callbacks of the platform (guarantees §2, platform §4)', () => {
  let harness: Harness;
  let connections: ListedConnection[];
  /** Delays the responses to ListConnections, which hold the connections of the time of their requests. */
  let responseDelay: Promise<void> | undefined;
  let delayed: number;
  /** Counts the reads that failed, while they fail. */
  let failed: number | undefined;

  beforeEach(async () => {
    harness = await startHarness(service);
    connections = [connection(1, 'first secret'), connection(2, 'second secret')];
    responseDelay = undefined;
    delayed = 0;
    failed = undefined;
    harness.respond(ListConnections, async ({ after_business_id }) => {
      if (failed !== undefined) {
        failed += 1;
        throw new GatewayError('OVERLOADED', 'unavailable');
      }
      const response = { connections: connections.filter(({ business_id }) => business_id > after_business_id) };
      if (responseDelay) delayed += 1;
      await responseDelay;
      return response;
    });
    await harness.run(service);
  });
  afterEach(() => harness.close());

  const connection = (business_id: number, secret: string, previous?: string) =>
    listedConnection(harness.sealer, business_id, secret, previous);
  const sign = (body: string | Buffer, secret: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const post = async (body: string, signature: string | null) =>
    (await harness.rpc.call(ReceivePlatformWebhook, { body_base64: Buffer.from(body).toString('base64'), signature })).status;
  const signed = (payload: unknown, secret = 'first secret') => {
    const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
    return post(body, sign(body, secret));
  };
  const published = async (type: string, count: number): Promise<EventEnvelope[]> =>
    eventually(async () => {
      const events = await harness.published(type);
      return events.length >= count && events;
    });
  const count = async (table: string) => Number((await harness.db.query<{ n: string }>(`SELECT count(*) AS n FROM ingest.${table}`))[0]?.n);
  /** The operator's command. */
  const letters = (...args: string[]) => deadLetters(service, args, harness.env);
  const lettersListed = async () =>
    (await letters('list'))
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'));

  it('platform §4.2: signs the published vector like WhatsApp', () => {
    expect(sign('{"object":"whatsapp_business_account","entry":[]}', 'test_app_secret')).toBe(
      'sha256=dec6a680679a968e7e0319355b23599cbfc54502c0784668e9618baa0c633756',
    );
  });

  it('spec §6.3: publishes one event for a message', async () => {
    const contacts = [{ wa_id: '919876543210', profile: { name: 'Asha' } }];
    expect(await signed(envelope({ contacts, messages: [text('wamid.1')] }))).toBe(200);
    const [event] = await published('message', 1);
    expect(event).toMatchObject({
      business_id: 1,
      data: {
        message_id: 'wamid.1',
        phone_number_id: '701',
        from: { phone: '919876543210', user_id: null, name: 'Asha' },
        type: 'text',
        text: 'Hi',
        sent_at: '2026-01-02T03:04:05.000Z',
      },
    });
  });

  it('platform §0.2, §4.4, §4.7: uses the single contact of a batch for its own messages only, and for no system message', async () => {
    const contacts = [{ wa_id: '919876543210', user_id: 'IN.1', profile: { name: 'Asha' } }];
    const withoutNames = { ...text('wamid.4'), from: undefined };
    const system = { type: 'system', system: { type: 'user_changed_number', wa_id: '919876543219', previous_user_id: 'IN.2' } };
    const messages = [
      text('wamid.1'),
      text('wamid.2', '919876543212'),
      { ...text('wamid.3'), from: undefined, from_user_id: 'IN.3' },
      withoutNames,
      { ...text('wamid.5', '919876543212'), ...system },
      { ...withoutNames, id: 'wamid.6', ...system },
      text('wamid.7', 'IN.1'),
    ];
    expect(await signed(envelope({ contacts, messages }))).toBe(200);
    const asha = { phone: '919876543210', user_id: 'IN.1', name: 'Asha' };
    const nobody = { phone: null, user_id: null, name: '' };
    expect((await published('message', 7)).map(({ data }) => (data as { from: object }).from)).toEqual([
      asha,
      { ...nobody, phone: '919876543212' },
      { ...nobody, user_id: 'IN.3' },
      asha,
      { ...nobody, phone: '919876543212' },
      nobody,
      asha,
    ]);
  });

  it.each([
    ['no signature', null],
    ['another secret', 'sha256='.padEnd(71, '0')],
    ['junk', 'sha256=xyz'],
  ])('%s: responds 401 and stores nothing', async (_, signature) => {
    expect(await post(JSON.stringify(envelope({ messages: [text('wamid.1')] })), signature)).toBe(401);
    expect(await count('callbacks')).toBe(0);
  });

  it('responds 400 to broken JSON and 200 to signed content that it does not understand', async () => {
    expect(await signed('{"object":')).toBe(400);
    for (const odd of ['null', '[]', '"text"', '{}', '{"entry":7}', '{"entry":[null]}', '{"entry":[{"changes":[null]}]}']) {
      expect([odd, await signed(odd)]).toEqual([odd, 200]);
    }
    expect(await signed({ entry: [{ id: '801', changes: [{ field: 'account_update', value: { event: 'X' } }] }] })).toBe(200);
  });

  it('publishes an update once, however often it arrives in the same or another body', async () => {
    const payload = envelope({ messages: [text('wamid.1')] });
    await Promise.all([signed(payload), signed(payload), signed(payload)]);
    await signed(envelope({ messages: [text('wamid.1'), text('wamid.2')] }));
    expect((await published('message', 2)).map(({ data }) => (data as { message_id: string }).message_id)).toEqual(['wamid.1', 'wamid.2']);
  });

  it('sets an invalid update aside with its reason and publishes the rest of its batch', async () => {
    const messages = [text('wamid.1'), { ...text('wamid.2'), timestamp: 'soon' }, null, text('wamid.3')];
    const statuses = [status('wamid.9', 'sent'), { id: 7 }];
    expect(await signed(envelope({ messages, statuses }))).toBe(200);
    await published('message', 2);
    await published('status', 1);
    const reasons = (await lettersListed()).map((cells) => cells.at(-1));
    expect(reasons).toHaveLength(3);
    expect(reasons).toContain('the timestamp is invalid');
  });

  it('platform §4.2: publishes each of 1,000 updates of a large callback once', async () => {
    const messages = Array.from({ length: 1_000 }, (_, i) => ({ ...text(`wamid.${i}`), text: { body: 'x'.repeat(300) } }));
    expect(await signed(envelope({ messages: [...messages, { id: 7 }] }))).toBe(200);
    const events = await published('message', 1_000);
    expect(new Set(events.map(({ id }) => id)).size).toBe(1_000);
    await eventually(async () => (await count('dead_letters')) === 1);
  });

  describe.each([
    ['small', ''],
    ['so large that it is split after the response', 'x'.repeat(300_000)],
  ])('guarantees §2: an update that cannot be stored or published holds up no other business (a callback that is %s)', (_, filling) => {
    const preference = (value: string) => ({ wa_id: '919876543210', category: 'marketing_messages', value, timestamp: 1767323045 });
    const preferences = (value: string) => ({
      entry: [
        {
          id: '801',
          changes: [{ field: 'user_preferences', value: { metadata: { phone_number_id: '701' }, user_preferences: [preference(value)] } }],
        },
      ],
    });

    it.each([
      ['a line break in a word of the platform', preferences('stop\r\nX: y')],
      ['a word of 9,000 characters', envelope({ statuses: [status('wamid.8', 's'.repeat(9_000))] })],
      ['a message id of other characters', envelope({ messages: [text('wamid.\u{1F600}')] })],
      ['a number that is an object', envelope({ messages: [text('wamid.8')] }, { toString: 1 } as never)],
    ])('sets aside %s', async (_name, invalid) => {
      const good = envelope({ messages: [text('wamid.good')] }, '702', '802');
      const statuses = await Promise.all([
        signed({ ...invalid, filling }),
        signed({ ...good, filling }, 'second secret'),
        signed({ ...invalid, filling, again: 1 }),
      ]);
      expect(statuses).toEqual([200, 200, 200]);
      const [event] = await published('message', 1);
      expect(event).toMatchObject({ business_id: 2, data: { message_id: 'wamid.good' } });
      await eventually(async () => (await count('dead_letters')) === 2);
      await eventually(async () => (await count('outbox WHERE published_at IS NULL')) === 0);
      expect(await count('callbacks WHERE split_at IS NULL')).toBe(0);
    });

    it('publishes the others when only the database refuses an update', async () => {
      await harness.db.query(`ALTER TABLE ingest.outbox ADD CHECK (event_id NOT LIKE '%odd%')`);
      const invalid = { ...envelope({ messages: [text('wamid.odd')] }), filling };
      const good = (id: string) => signed({ ...envelope({ messages: [text(id)] }, '702', '802'), filling }, 'second secret');
      const [odd, ...others] = await Promise.allSettled([signed(invalid), ...['1', '2', '3', '4', '5'].map((id) => good(`wamid.${id}`))]);
      expect(others).toEqual(others.map(() => ({ status: 'fulfilled', value: 200 })));
      await published('message', 5);
      // The platform retries a refused callback; a stored one becomes a dead letter.
      await eventually(async () => (await count('callbacks WHERE split_at IS NULL')) === 0);
      expect([odd?.status, await count('dead_letters')]).toEqual(filling === '' ? ['rejected', 0] : ['fulfilled', 1]);
    });

    it('ignores a field or an account that is an object', async () => {
      const odd = { toString: 1 };
      expect(
        await signed({ filling, entry: [{ id: odd, changes: [{ field: odd }, { field: 'account_update', value: { event: 'X' } }] }] }),
      ).toBe(200);
      expect(await signed({ ...envelope({ messages: [text('wamid.good')] }, '702', '802'), filling }, 'second secret')).toBe(200);
      await published('message', 1);
      await eventually(async () => (await count('callbacks WHERE split_at IS NULL')) === 0);
      expect(await count('dead_letters')).toBe(0);
    });

    it('platform §9: removes NUL from texts and replaces lone surrogates', async () => {
      const contacts = [{ wa_id: '919876543210', profile: { name: 'A\0sha\ud83d' } }];
      const messages = [{ ...text('wamid.\x0001'), text: { body: '\0Hi \u{1F600} \udc00!' } }];
      expect(await signed({ ...envelope({ contacts, messages }), filling })).toBe(200);
      const [event] = await published('message', 1);
      expect(event).toMatchObject({ data: { message_id: 'wamid.01', from: { name: 'Asha\ufffd' }, text: 'Hi \u{1F600} \ufffd!' } });
    });
  });

  it.each([101, 20_000])('guarantees §2: stores JSON of %d levels as a dead letter', async (levels) => {
    const deep = `${'['.repeat(levels)}${']'.repeat(levels)}`;
    const body = `{"entry":[{"id":"801","changes":[{"field":"messages","value":{"messages":[{"id":"wamid.1","x":${deep}}]}}]}]}`;
    expect(await signed(body)).toBe(200);
    await eventually(async () => (await count('dead_letters')) === 1);
    const [letter] = await harness.db.query<{ body: string; reason: string }>('SELECT body, reason FROM ingest.dead_letters');
    expect(letter).toEqual({ body, reason: 'nested too deep: WhatsApp sends no such callback' });
    expect(await signed(envelope({ messages: [{ ...text('wamid.1'), text: { body: '['.repeat(4_000) } }] }))).toBe(200);
    await published('message', 1);
  });

  it('guarantees §2: replays a dead letter with an escaped NUL in its text', async () => {
    const messages = [{ ...text('wamid.1'), timestamp: 'soon', text: { body: 'the path C:\\u0000' } }];
    expect(await signed(envelope({ messages }))).toBe(200);
    await eventually(async () => (await count('dead_letters')) === 1);
    const [id] = (await lettersListed())[0] ?? [];
    await expect(letters('replay', 'all')).rejects.toThrow(`0 replayed.\n${id} failed again: the timestamp is invalid`);
    expect(await lettersListed()).toMatchObject([
      [id, expect.anything(), 'splitter', 'messages', '-', '1', '2', 'the timestamp is invalid'],
    ]);
  });

  it('guarantees §2: an unreadable stored callback holds up no other', async () => {
    await harness.db.query(`INSERT INTO ingest.callbacks (body_hash, body, businesses) VALUES ('\\x00', '{"entry":', '{1}')`);
    expect(await signed({ ...envelope({ messages: [text('wamid.1')] }), filling: 'x'.repeat(300_000) })).toBe(200);
    await published('message', 1);
    await eventually(async () => (await count('dead_letters')) > 0);
    const letters = await harness.db.query<{ body: string; subject: string }>('SELECT body, subject FROM ingest.dead_letters');
    expect(letters).toEqual([{ body: '{"entry":', subject: '(all)' }]);
  });

  it('guarantees §2: of callbacks that wait together, one that the database refuses holds up no other, and they keep their order', async () => {
    await harness.db.query(`ALTER TABLE ingest.outbox ADD CHECK (event_id NOT LIKE '%odd%')`);
    const bodies = ['wamid.1', 'wamid.odd', 'wamid.2', 'wamid.3'].map((id) =>
      Buffer.from(JSON.stringify(envelope({ messages: [text(id)] }))),
    );
    await harness.db.query(
      `INSERT INTO ingest.callbacks (body_hash, body, businesses, lane) SELECT sha256(body), body, '{1}', 1 FROM unnest($1::bytea[]) AS body`,
      [bodies],
    );
    expect(await signed({ ...envelope({ messages: [text('wamid.4')] }), filling: 'x'.repeat(300_000) })).toBe(200);
    const events = await published('message', 4);
    expect(events.map(({ data }) => data)).toEqual(['1', '2', '3', '4'].map((n) => expect.objectContaining({ message_id: `wamid.${n}` })));
    const found = await harness.db.query<{ body: string }>('SELECT body FROM ingest.dead_letters');
    expect(found).toEqual([{ body: String(bodies[1]) }]);
  });

  it('platform §4.4: publishes a message whatever the values of its details, and sets none aside', async () => {
    const values = [null, 7, 'x', [[]], { id: [], message_id: {}, body: 1, latitude: '1' }, { vcard: 'x'.repeat(16_000) }];
    const messages = values.flatMap((value, v) =>
      ['image', 'location', 'contacts', 'interactive', 'reaction', 'order', 'edit', 'revoke', 'unsupported'].map((type) => ({
        ...text(`wamid.${v}.${type}`),
        type,
        text: value,
        context: value,
        referral: value,
        errors: value,
        [type]: type === 'contacts' ? [value] : value,
      })),
    );
    expect(await signed(envelope({ messages }))).toBe(200);
    const events = await published('message', messages.length);
    expect(events.map(({ data }) => (data as { message_id: string }).message_id)).toEqual(messages.map(({ id }) => id));
    expect(await count('dead_letters')).toBe(0);
  });

  it('platform §4.6: publishes a preference, and sets aside one without a person', async () => {
    const stop = { wa_id: '919876543210', category: 'marketing_messages', value: 'stop', timestamp: 1767323045 };
    const value = { metadata: { phone_number_id: '701' }, user_preferences: [stop, { ...stop, wa_id: undefined }] };
    expect(await signed({ entry: [{ id: '801', changes: [{ field: 'user_preferences', value }] }] })).toBe(200);
    const [event] = await published('preference', 1);
    expect(event?.data).toMatchObject({ from: { phone: '919876543210' }, category: 'marketing_messages', value: 'stop' });
    await eventually(async () => (await count('dead_letters')) === 1);
  });

  it('platform §4.7: accepts a user id in the phone field of a preference', async () => {
    const stop = { wa_id: 'IN.1', category: 'marketing_messages', value: 'stop', timestamp: 1767323045 };
    const value = { metadata: { phone_number_id: '701' }, user_preferences: [stop] };
    expect(await signed({ entry: [{ id: '801', changes: [{ field: 'user_preferences', value }] }] })).toBe(200);
    const [event] = await published('preference', 1);
    expect(event?.data).toMatchObject({ from: { phone: null, user_id: 'IN.1' }, value: 'stop' });
  });

  it('platform §4.5: publishes a failure without its code if the code is no integer', async () => {
    const failed = (id: string, code: unknown) => ({ ...status(id, 'failed'), errors: [{ code, title: 'No' }] });
    const codes = [131026, 99_999_999_999, 1.5, '131026', null];
    expect(await signed(envelope({ statuses: codes.map((code, i) => failed(`wamid.${i}`, code)) }))).toBe(200);
    const errors = (await published('status', codes.length)).map(({ data }) => (data as { error: unknown }).error);
    expect(errors).toEqual([131026, null, null, null, null].map((code) => ({ code, text: 'No' })));
  });

  it('guarantees §2: replays a dead letter without repeating the other updates of its callback', async () => {
    const value = (number: string, id: string) => ({
      field: 'messages',
      value: { metadata: { phone_number_id: number }, messages: [text(id)] },
    });
    const payload = { entry: [{ id: '801', changes: [value('701', 'wamid.1'), value('702', 'wamid.2')] }] };
    expect(await signed(payload)).toBe(200);
    await eventually(async () => (await count('dead_letters')) === 1);
    const reason = 'no business with this app secret owns number 702';
    const [listed] = await lettersListed();
    const [id = ''] = listed ?? [];
    expect(listed?.slice(2)).toEqual(['splitter', 'messages', '-', '1', '1', reason]);
    const body = await letters('show', id);
    expect(body).toContain('wamid.2');
    expect(body).not.toContain('wamid.1');
    await expect(letters('replay', id)).rejects.toThrow(`0 replayed.\n${id} failed again: ${reason}`);

    // The business connects the number, so the replay succeeds.
    connections = [{ ...connection(1, 'first secret'), phone_number_id: '702' }];
    harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    await eventually(async () => (await letters('replay', 'all')) === '1 replayed.');
    const events = await published('message', 2);
    expect(events.map(({ data }) => (data as { message_id: string }).message_id)).toEqual(['wamid.1', 'wamid.2']);
    expect(await letters('list')).toBe('No dead letters.');
  });

  it('decision 47: sets aside an update of a number whose business has another app secret', async () => {
    expect(await signed(envelope({ messages: [text('wamid.stolen')] }, '701'), 'second secret')).toBe(200);
    await eventually(async () => (await count('dead_letters')) === 1);
    expect(await harness.published('message')).toHaveLength(0);
  });

  it('decision 786: replays it after its business has corrected the app secret, and for no other business', async () => {
    const connect = (...changed: ListedConnection[]) => {
      connections = changed;
      harness.rpc.announce(ConnectionChanged, { business_id: 1 });
      return harness.nc.flush();
    };
    expect(await signed(envelope({ messages: [text('wamid.1')] }, '701'), 'second secret')).toBe(200);
    await eventually(async () => (await count('dead_letters')) === 1);
    await connect(connection(1, 'third secret'), connection(2, 'second secret'));
    await expect(letters('replay', 'all')).rejects.toThrow(/failed again: no business with this app secret owns number 701/);
    await connect(connection(1, 'second secret', 'third secret'), connection(2, 'second secret'));
    await eventually(async () => (await letters('replay', 'all')) === '1 replayed.');
    const [event] = await published('message', 1);
    expect([event?.business_id, await count('dead_letters')]).toEqual([1, 0]);
  });

  describe('decision 257: a repeated callback is known only to the business that it was stored for', () => {
    const payload = envelope({ messages: [text('wamid.1')] });
    const owners = async () => (await harness.published('message')).map(({ business_id }) => business_id);
    const connect = async (...changed: ListedConnection[]) => {
      connections = changed;
      harness.rpc.announce(ConnectionChanged, { business_id: 1 });
      await harness.nc.flush();
    };

    it.each([
      ['small', payload],
      ['large', { ...payload, filling: 'x'.repeat(300_000) }],
    ])('publishes a %s callback that came under the app secret of another business before', async (_, body) => {
      expect(await signed(body, 'second secret')).toBe(200);
      await eventually(async () => (await count('dead_letters')) === 1);
      expect(await signed(body)).toBe(200);
      await published('message', 1);
      expect([await signed(body, 'second secret'), await signed(body)]).toEqual([200, 200]);
      await eventually(async () => (await count('callbacks WHERE split_at IS NULL')) === 0);
      expect([await owners(), await count('callbacks'), await count('dead_letters')]).toEqual([[1], 2, 1]);
    });

    it('publishes a callback that came before its number was connected', async () => {
      const early = envelope({ messages: [text('wamid.1')] }, '709');
      expect([await signed(early), await signed(early)]).toEqual([200, 200]);
      expect([await count('callbacks'), await count('dead_letters')]).toEqual([1, 0]);
      await connect({ ...connection(1, 'first secret'), phone_number_id: '709' });
      await eventually(async () => (await signed(early)) === 200 && (await owners()).length === 1);
      expect(await signed(early)).toBe(200);
      expect([await owners(), await count('callbacks'), await count('outbox')]).toEqual([[1], 2, 1]);
    });

    it('publishes a callback for each business that claims the number with an app secret of its own', async () => {
      await connect(connection(1, 'first secret'), { ...connection(2, 'second secret'), phone_number_id: '701' });
      await eventually(async () => (await signed(payload, 'second secret')) === 200 && (await owners()).length === 1);
      expect([await signed(payload), await signed(payload, 'second secret')]).toEqual([200, 200]);
      await published('message', 2);
      expect([await owners(), await count('callbacks')]).toEqual([[2, 1], 2]);
    });

    it('sets a callback without an owner aside once for each app secret that signed it', async () => {
      const claims = (number_verified_at: string | null) => [
        { ...connection(1, 'same'), number_verified_at },
        connection(2, 'second secret'),
        { ...connection(4, 'same'), phone_number_id: '701' },
      ];
      await connect(...claims(null));
      await eventually(async () => (await signed(payload, 'second secret')) === 200);
      expect([await signed(payload, 'same'), await signed(payload, 'same')]).toEqual([200, 200]);
      await eventually(async () => (await count('dead_letters')) === 2);
      const stored = await harness.db.query('SELECT businesses FROM ingest.dead_letters ORDER BY id');
      expect(stored).toEqual([{ businesses: [2] }, { businesses: [1, 4] }]);

      // After the platform has verified a claim, the repeat counts, and the replay of its dead letter has no second effect.
      await connect(...claims('2026-01-01T00:00:00.000Z'));
      await eventually(async () => (await signed(payload, 'same')) === 200 && (await owners()).length === 1);
      await expect(letters('replay', 'all')).rejects.toThrow(/^1 replayed\.\n\d+ failed again/);
      expect([await owners(), await count('outbox'), await count('dead_letters')]).toEqual([[1], 1, 1]);
    });

    it('knows an erased callback', async () => {
      expect(await signed(payload)).toBe(200);
      await published('message', 1);
      await harness.db.query(`UPDATE ingest.callbacks SET body = ''`);
      await harness.db.query('DELETE FROM ingest.outbox');
      expect(await signed(payload)).toBe(200);
      expect([await count('callbacks'), await count('outbox')]).toEqual([1, 0]);
    });

    describe('stored by the previous version, which hashed only the body', () => {
      const store = (lane: number, businesses: string) =>
        harness.db.query(
          `INSERT INTO ingest.callbacks (body_hash, body, businesses, lane, split_at) VALUES (sha256($1), '', $2::text::integer[], $3, now())`,
          [Buffer.from(JSON.stringify(payload)), businesses, lane],
        );

      it('has no second effect for the same business, even when it was erased', async () => {
        await store(1, '{1}');
        expect(await signed(payload)).toBe(200);
        expect([await count('callbacks'), await count('outbox')]).toEqual([1, 0]);
        expect([await signed(payload, 'second secret'), await count('dead_letters')]).toEqual([200, 1]);
      });

      it('sets an update aside no second time for the same app secret', async () => {
        await store(0, '{2}');
        expect(await signed(payload, 'second secret')).toBe(200);
        expect([await count('callbacks'), await count('dead_letters')]).toEqual([1, 0]);
        expect(await signed(payload)).toBe(200);
        await published('message', 1);
      });
    });
  });

  describe('decision 255: several businesses claim number 701', () => {
    const claim = (business_id: number, secret: string, change: Partial<ListedConnection> = {}) => ({
      ...connection(business_id, secret),
      phone_number_id: '701',
      ...change,
    });
    const claims = async (...changed: ListedConnection[]) => {
      connections = changed;
      harness.rpc.announce(ConnectionChanged, { business_id: 1 });
      await harness.nc.flush();
    };
    const owners = async (count: number) => (await published('message', count)).map(({ business_id }) => business_id);
    const JANUARY = { number_verified_at: '2026-01-01T00:00:00.000Z' };
    const MAY = { number_verified_at: '2026-05-01T00:00:00.000Z' };

    it('publishes an update for the one whose app secret signed it, however many others claim the number', async () => {
      await claims(...[1, 2, 4, 5, 6, 7].map((id) => claim(id, `secret of ${id}`, JANUARY)), claim(3, 'the owner'));
      expect(await signed(envelope({ messages: [text('wamid.1')] }), 'the owner')).toBe(200);
      expect(await owners(1)).toEqual([3]);
    });

    it('publishes it for the one that the platform verified first, if the app secret is the same', async () => {
      await claims(claim(1, 'same'), claim(2, 'same', MAY), claim(3, 'same', JANUARY));
      expect(await signed(envelope({ messages: [text('wamid.1')] }), 'same')).toBe(200);
      expect(await owners(1)).toEqual([3]);
      await claims(claim(1, 'same'), claim(2, 'same', MAY), claim(3, 'same', { ...JANUARY, status: 'problem' }));
      expect(await signed(envelope({ messages: [text('wamid.2')] }), 'same')).toBe(200);
      expect(await owners(2)).toEqual([3, 2]);
      await claims(claim(1, 'same'), claim(3, 'same', { ...JANUARY, status: 'problem' }));
      expect(await signed(envelope({ messages: [text('wamid.3')] }), 'same')).toBe(200);
      expect(await owners(3)).toEqual([3, 2, 3]);
    });

    it('sets it aside while the app secret is the same and the platform has verified none of them', async () => {
      await claims(claim(1, 'same'), claim(2, 'same'));
      expect(await signed(envelope({ messages: [text('wamid.1')] }), 'same')).toBe(200);
      await eventually(async () => (await count('dead_letters')) === 1);
      await claims(claim(1, 'same'), claim(2, 'same', MAY));
      await eventually(async () => (await letters('replay', 'all')) === '1 replayed.');
      expect(await owners(1)).toEqual([2]);
    });
  });

  it('platform §4.2: verifies with a changed secret and the previous one, and knows a new business at once', async () => {
    connections = [connection(1, 'new secret', 'first secret'), connection(2, 'second secret'), connection(3, 'third secret')];
    harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    await eventually(async () => (await signed(envelope({ messages: [text('wamid.n')] }), 'new secret')) === 200);
    expect(await signed(envelope({ messages: [text('wamid.o')] }), 'first secret')).toBe(200);
    await eventually(async () => (await signed(envelope({ messages: [text('wamid.3')] }, '703'), 'third secret')) === 200);
    await published('message', 3);
  });

  it('decision 720: verifies callbacks and handshakes with each secret of a connection that opens', async () => {
    const damaged = 'test.damaged';
    const accepts = async (verify_token: string) =>
      (await harness.rpc.call(VerifyPlatformHandshake, { mode: 'subscribe', verify_token })).accepted;
    connections = [
      { ...connection(1, 'new secret'), previous_app_secret_sealed: damaged },
      { ...connection(2, 'second secret'), verify_token_sealed: damaged },
      { ...connection(3, 'damaged', 'third secret'), app_secret_sealed: damaged },
    ];
    harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    await harness.nc.flush();
    const statuses = [
      await signed(envelope({ messages: [text('wamid.1')] }, '701', '801'), 'new secret'),
      await signed(envelope({ messages: [text('wamid.2')] }, '702', '802'), 'second secret'),
      await signed(envelope({ messages: [text('wamid.3')] }, '703', '803'), 'third secret'),
    ];
    expect(statuses).toEqual([200, 200, 200]);
    expect((await published('message', 3)).map(({ business_id }) => business_id).sort()).toEqual([1, 2, 3]);
    expect([await accepts('verify 1'), await accepts('verify 2'), await accepts('verify 3')]).toEqual([true, false, true]);
    expect(await signed(envelope({ messages: [text('wamid.4')] }), '')).toBe(401);
  });

  it('platform §4.2: knows a number at once that is connected during a read of the connections', async () => {
    let respond: () => void = () => undefined;
    responseDelay = new Promise((resolve) => (respond = resolve));
    harness.rpc.announce(ConnectionChanged, { business_id: 2 });
    const first = signed(envelope({ messages: [text('wamid.1')] }, '702'), 'second secret');
    await eventually(() => delayed > 0);
    connections[0] = { ...connection(1, 'first secret'), phone_number_id: '709' };
    harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    responseDelay = undefined;
    respond();
    expect(await first).toBe(200);
    expect(await eventually(() => signed(envelope({ messages: [text('wamid.2')] }, '709')).catch(() => false))).toBe(200);
    const events = await published('message', 2);
    expect(events.map(({ data }) => (data as { phone_number_id: string }).phone_number_id)).toEqual(['702', '709']);
  });

  it('decision 725: a template service that accepts calls and never responds holds up no callback with a known owner', async () => {
    expect(await signed(envelope({ messages: [text('wamid.0')] }))).toBe(200);
    let respond: () => void = () => undefined;
    responseDelay = new Promise((resolve) => (respond = resolve));
    try {
      harness.rpc.announce(ConnectionChanged, { business_id: 1 });
      await harness.nc.flush();
      const statuses = await Promise.all([1, 2, 3].map((n) => signed(envelope({ messages: [text(`wamid.${n}`)] }))));
      expect([statuses, delayed]).toEqual([[200, 200, 200], 1]);
      await published('message', 4);
      await expect(signed(envelope({ messages: [text('wamid.4')] }, '709'))).rejects.toMatchObject({ error_code: 'OVERLOADED' });
    } finally {
      respond();
    }
  });

  it('decision 749: loses no update of a number that was connected before the connections became unreadable', async () => {
    const saved = (id: string) => JSON.stringify(envelope({ messages: [text(id)] }, '709'));
    expect(await signed(envelope({ messages: [text('wamid.1')] }))).toBe(200);
    connections[0] = { ...connection(1, 'first secret'), phone_number_id: '709' };
    failed = 0;
    harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    await harness.nc.flush();
    await expect(signed(saved('wamid.2'))).rejects.toMatchObject({ error_code: 'OVERLOADED' });
    expect(await signed(envelope({ messages: [text('wamid.3')] }))).toBe(200);
    expect(await signed({ entry: [{ id: '801', changes: [{ field: 'security', value: {} }] }] })).toBe(200);
    // Another replica read the change before.
    await harness.db.query('INSERT INTO ingest.callbacks (body_hash, body, businesses, lane) VALUES (sha256($1), $1, ARRAY[1], 1)', [
      Buffer.from(saved('wamid.4')),
    ]);
    await eventually(() => (failed ?? 0) >= 2);
    failed = undefined;
    expect(await eventually(() => signed(saved('wamid.2')).catch(() => false))).toBe(200);
    const ids = (await published('message', 4)).map(({ data }) => (data as { message_id: string }).message_id);
    expect(ids.sort()).toEqual(['wamid.1', 'wamid.2', 'wamid.3', 'wamid.4']);
    expect(await count('dead_letters')).toBe(0);
  });

  it('decision 751: refuses no secret or verify token that was saved before the connections became unreadable', async () => {
    const verify = async () => (await harness.rpc.call(VerifyPlatformHandshake, { mode: 'subscribe', verify_token: 'verify 3' })).accepted;
    const replaced = () => signed(envelope({ messages: [text('wamid.1')] }), 'new secret');
    const connected = () => signed(envelope({ messages: [text('wamid.2')] }, '703', '803'), 'third secret');
    expect([await replaced(), await connected(), await verify()]).toEqual([401, 401, false]);
    failed = 0;
    expect([await replaced(), await connected(), await verify()]).toEqual([401, 401, false]);
    connections = [connection(1, 'new secret', 'first secret'), connection(3, 'third secret')];
    harness.rpc.announce(ConnectionChanged, { business_id: 3 });
    await harness.nc.flush();
    for (const call of [replaced, connected, verify]) await expect(call()).rejects.toMatchObject({ error_code: 'OVERLOADED' });
    failed = undefined;
    expect(await eventually(verify)).toBe(true);
    expect([await replaced(), await connected(), await signed('{}', 'wrong secret')]).toEqual([200, 200, 401]);
  });

  it('decision 749: a callback for a connected and an unknown number is refused, and the update of the connected one is published once', async () => {
    const change = (number: string, id: string) => envelope({ messages: [text(id)] }, number).entry[0];
    const mixed = { entry: [change('709', 'wamid.2'), change('701', 'wamid.1')] };
    const ids = async (count: number) => (await published('message', count)).map(({ data }) => (data as { message_id: string }).message_id);
    expect(await signed(envelope({ messages: [text('wamid.0')] }))).toBe(200);
    connections[0] = { ...connection(1, 'first secret'), phone_number_id: '709' };
    failed = 0;
    harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    await harness.nc.flush();
    for (let n = 0; n < 2; n++) await expect(signed(mixed)).rejects.toMatchObject({ error_code: 'OVERLOADED' });
    expect(await ids(2)).toEqual(['wamid.0', 'wamid.1']);
    expect(await count('callbacks')).toBe(2);
    failed = undefined;
    // The number belongs to the business whose other update was stored before.
    expect(await eventually(() => signed(mixed).catch(() => false))).toBe(200);
    expect(await ids(3)).toEqual(['wamid.0', 'wamid.1', 'wamid.2']);
    expect([await count('outbox'), await count('dead_letters')]).toEqual([3, 0]);
  });

  it('decision 752: an update without an owner waits for the connections alone, even if its callback is for a connected number too', async () => {
    const change = (number: string, message: object) => ({
      field: 'messages',
      value: { metadata: { phone_number_id: number }, messages: [message] },
    });
    const large = { ...text('wamid.2'), text: { body: 'x'.repeat(80_000) } };
    const ids = async (count: number) =>
      (await published('message', count)).map(({ data }) => (data as { message_id: string }).message_id).sort();
    // Keeps the splitter from the stored callback until the connections are unreadable.
    await harness.db.transaction(
      async (tx) => {
        await tx.query(`SELECT pg_advisory_xact_lock(hashtext('ingest.lanes'), lane) FROM unnest('{0, 1}'::integer[]) AS lane`);
        expect(await signed({ entry: [{ id: '801', changes: [change('709', large), change('701', text('wamid.1'))] }] })).toBe(200);
        connections[0] = { ...connection(1, 'first secret'), phone_number_id: '709' };
        failed = 0;
        harness.rpc.announce(ConnectionChanged, { business_id: 1 });
        await harness.nc.flush();
        await tx.query(
          `INSERT INTO ingest.dead_letters (consumer, subject, body, reason, attempts, businesses, replay_requested_at)
         SELECT 'splitter', 'messages', body, 'no owner', 1, '{1}', now() FROM unnest($1::text[]) AS body`,
          [
            [envelope({ messages: [text('wamid.4')] }, '709'), envelope({ messages: [text('wamid.5')] })].map((body) =>
              JSON.stringify(body),
            ),
          ],
        );
      },
      { mayPause: true },
    );
    await eventually(() => (failed ?? 0) > 0);
    expect(await signed(envelope({ messages: [text('wamid.3')] }))).toBe(200);
    expect(await ids(3)).toEqual(['wamid.1', 'wamid.3', 'wamid.5']);
    failed = undefined;
    expect(await ids(5)).toEqual(['wamid.1', 'wamid.2', 'wamid.3', 'wamid.4', 'wamid.5']);
    await eventually(async () => (await count('dead_letters')) === 0);
  });

  it('N3, N4: stores no callback halfway while the database refuses it, and neither loses it nor sets it aside', async () => {
    await harness.db.query('CREATE SEQUENCE ingest.refusals');
    await harness.db.query(`CREATE FUNCTION ingest.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE 'refused' USING ERRCODE = CASE nextval('ingest.refusals') WHEN 1 THEN 'disk_full' ELSE 'lock_not_available' END; END $$`);
    await harness.db.query('CREATE TRIGGER refuse BEFORE INSERT ON ingest.outbox FOR EACH ROW EXECUTE FUNCTION ingest.refuse()');
    const small = envelope({ messages: [text('wamid.small')] });
    const large = { ...envelope({ messages: [text('wamid.large')] }, '702', '802'), filler: 'x'.repeat(300_000) };
    // The gateway responds to the error with 503, so the platform retries. A large callback waits for its splitting.
    await expect(signed(small)).rejects.toMatchObject({ error_code: 'OVERLOADED' });
    expect(await signed(large, 'second secret')).toBe(200);
    await eventually(async () => (await count('refusals WHERE last_value >= 5')) === 1);
    expect([await count('callbacks'), await count('callbacks WHERE split_at IS NULL'), await count('dead_letters')]).toEqual([1, 1, 0]);

    await harness.db.query('DROP TRIGGER refuse ON ingest.outbox');
    expect(await signed(small)).toBe(200);
    const ids = (await published('message', 2)).map(({ data }) => (data as { message_id: string }).message_id);
    expect(ids.sort()).toEqual(['wamid.large', 'wamid.small']);
    expect([await count('outbox'), await count('dead_letters')]).toEqual([2, 0]);
  });

  it('platform §4.1: accepts the verify token of any business in the handshake, and nothing else', async () => {
    const verify = async (mode: string, verify_token: string) =>
      (await harness.rpc.call(VerifyPlatformHandshake, { mode, verify_token })).accepted;
    expect(await verify('subscribe', 'verify 2')).toBe(true);
    expect([await verify('subscribe', 'verify 9'), await verify('subscribe', ''), await verify('other', 'verify 2')]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('decision 531: keeps when the platform last reached the callback of each business', async () => {
    const times = (business_id: number) => harness.rpc.call(GetCallbackTimes, { business_id });
    await harness.rpc.call(VerifyPlatformHandshake, { mode: 'subscribe', verify_token: 'verify 2' });
    await eventually(async () => (await times(2)).handshake_at !== null);
    expect([await times(1), (await times(2)).callback_at]).toEqual([{ callback_at: null, handshake_at: null }, null]);
    await signed(envelope({ messages: [text('wamid.1')] }), 'second secret');
    await signed(envelope({ messages: [text('wamid.1')] }));
    const { callback_at, handshake_at } = await eventually(async () => ((await times(1)).callback_at !== null ? times(1) : false));
    expect([Date.parse(callback_at ?? '') > Date.now() - 60_000, handshake_at]).toEqual([true, null]);
  });

  it('guarantees §8: another process publishes the events of one that died after storing a callback', async () => {
    await harness.close();
    harness = await startHarness(service);
    connections = [connection(1, 'first secret')];
    harness.respond(ListConnections, ({ after_business_id }) => ({ connections: after_business_id === 0 ? connections : [] }));
    const child = await harness.spawn('platform-webhook-ingest', { CRASH_AT: 'ingest.after-store' });
    const unanswered = signed(envelope({ messages: [text('wamid.1')] }));
    unanswered.catch(() => undefined);
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    await harness.run(service);
    await published('message', 1);
  });
});
