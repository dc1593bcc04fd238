import { createHmac } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { eventually } from '@mgw/testing';
import { ACCOUNT, codeOf, idOf, NUMBER, PERSON, SECRET, Started } from '../simulator.fixture';

describe('the control plane (platform §8.4)', () => {
  let started: Started;
  beforeEach(async () => {
    started = await Started.with();
  });
  afterEach(() => started.close());

  const load = () => started.control<{ running: boolean; inbound: number; statuses: number; held: number }>('GET', 'load');

  describe('snapshot', () => {
    const restored = async (act: (other: Started) => Promise<void>) => {
      const { body: snapshot } = await started.control('GET', 'snapshot');
      const other = await Started.with({ seed: 77 });
      try {
        const response = await other.control('POST', 'snapshot', snapshot);
        expect([response.status, response.body]).toEqual([200, {}]);
        await act(other);
      } finally {
        await other.close();
      }
    };

    it('continues in another simulator', async () => {
      await started.receive({ type: 'image', bsuid: 'IN.7' });
      const media = started.simulator.media.state().files[0]?.id ?? '';
      await started.graph('POST', `${ACCOUNT}/message_templates`, {
        name: 'kept',
        language: 'en',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Kept' }],
      });
      await started.control('POST', 'rules', { times: 1, match: { to: '12015550101' }, error: { code: 131016, status: 503 } });
      await started.control('PATCH', 'profile', { profile: 'realistic', status_mode: 'read_only' });
      await started.control('POST', 'account', { phone_number_id: NUMBER, action: 'restrict' });
      await started.control('POST', 'clock', { offset_seconds: 3_600, stopped: true });
      expect(codeOf(await started.sendTemplate('12015550143'))).toBe(131016);
      await started.send({ text: { body: 'Hi' } });
      await restored(async (other) => {
        const { body: again } = await other.control('GET', 'snapshot');
        const { body: first } = await started.control('GET', 'snapshot');
        for (const part of [
          'profile',
          'limits',
          'accounts',
          'identities',
          'conversations',
          'sent',
          'rules',
          'refused',
          'media',
          'clock',
          'codes',
        ])
          expect([part, again[part]]).toEqual([part, first[part]]);
        // Windows, limits and files survive.
        expect((await other.send({ text: { body: 'Hi' } })).status).toBe(200);
        expect(codeOf(await other.sendTemplate('12015550101'))).toBe(131016);
        expect(codeOf(await other.sendTemplate('12015550100'))).toBe(368);
        expect((await other.graph('GET', media)).body).toMatchObject({ id: media, mime_type: 'image/png' });
        const { body: phone } = await other.control('GET', `phone?phone_number_id=${NUMBER}&person=${PERSON}`);
        expect(phone['messages']).toMatchObject([{ direction: 'out' }, { direction: 'in', text: 'Hi' }, {}]);
        const { body: listed } = await other.graph('GET', `${ACCOUNT}/message_templates?name=kept`);
        expect(listed['data']).toMatchObject([{ status: 'PENDING' }]);
      });
    });

    it('continues the random numbers: both make the same ids', async () => {
      await started.control('POST', 'webhooks/pause');
      const { body: snapshot } = await started.control('GET', 'snapshot');
      const here = idOf(await started.sendTemplate());
      await started.control('POST', 'snapshot', snapshot);
      expect(idOf(await started.sendTemplate())).toBe(here);
    });

    it('posts undelivered webhooks and pending statuses after a restore', async () => {
      await started.control('POST', 'webhooks/pause');
      const id = idOf(await started.sendTemplate('12015550101'));
      const written = started.receive({ text: 'Kept back' });
      await eventually(async () => ((await started.control('GET', 'snapshot')).body['callbacks'] as { held: unknown[] }).held.length > 0);
      await restored(async (other) => {
        expect(other.receiver.requests).toEqual([]);
        await other.control('POST', 'webhooks/resume');
        await eventually(() => other.messages().some(({ text }) => (text as { body: string }).body === 'Kept back'));
        expect((await other.statusesOf(id, 2)).map(({ status }) => status).sort()).toEqual(['delivered', 'sent']);
      });
      await started.control('POST', 'webhooks/resume');
      await written;
    });

    it.each([[{}], [{ version: 2 }], ['nonsense'], [[]]])('refuses %j and keeps its state', async (snapshot) => {
      await started.receive();
      expect((await started.control('POST', 'snapshot', snapshot)).status).toBe(400);
      expect((await started.send({ text: { body: 'Hi' } })).status).toBe(200);
    });
  });

  describe('load', () => {
    it('makes the requested messages and statuses in batches', async () => {
      const id = idOf(await started.sendTemplate('12015550102'));
      await started.statusesOf(id, 1);
      const request = { phone_number_id: NUMBER, inbound_per_second: 40, statuses_per_second: 20, seconds: 1, people: 3, batch: 5 };
      expect((await started.control('POST', 'load', request)).status).toBe(200);
      expect(codeOf(await started.control('POST', 'load', request))).toBe(100);
      await eventually(async () => !(await load()).body.running && (await load()).body.held === 0);
      expect((await load()).body).toEqual({ running: false, inbound: 40, statuses: 20, held: 0 });
      expect(started.messages()).toHaveLength(40);
      expect(new Set(started.messages().map(({ from }) => from)).size).toBeLessThanOrEqual(3);
      expect(started.statuses().slice(1)).toHaveLength(20);
      expect(new Set(started.statuses().map((status) => status['id']))).toEqual(new Set([id]));
    });

    it('can be stopped, and has bounds', async () => {
      await started.control('POST', 'load', { phone_number_id: NUMBER, inbound_per_second: 1, seconds: 600 });
      expect((await started.control('DELETE', 'load')).body['running']).toBe(false);
      for (const wrong of [{ seconds: 601 }, { seconds: 1, inbound_per_second: 1_001 }, { seconds: 1, phone_number_id: '1' }])
        expect((await started.control('POST', 'load', { phone_number_id: NUMBER, ...wrong })).status).toBe(400);
    });
  });

  describe('webhooks', () => {
    it('replays the same bytes: the last, some by id, the undelivered', async () => {
      started.receiver.respond((request, response) => void response.writeHead(request.body.includes('refused') ? 500 : 200).end('no'));
      for (const text of ['one', 'two', 'refused']) await started.receive({ text });
      const { body } = await started.control<{ deliveries: Record<string, unknown>[] }>('GET', 'deliveries');
      expect(body.deliveries).toMatchObject([
        { id: 1, attempt: 1, status: 200, problem: null },
        { id: 2, attempt: 1, status: 200, problem: null },
        { id: 3, attempt: 1, status: 500, response: 'no', problem: 'status 500' },
      ]);
      started.receiver.respond((_, response) => void response.writeHead(200).end());
      const bytes = started.receiver.requests.map((request) => request.body);
      const replayed = async (which: object) => {
        const from = started.receiver.requests.length;
        const { body: response } = await started.control<{ replayed: number }>('POST', 'webhooks/replay', which);
        await eventually(() => started.receiver.requests.length >= from + response.replayed);
        return started.receiver.requests.slice(from, from + response.replayed).map((request) => bytes.indexOf(request.body) + 1);
      };
      expect(await replayed({ ids: [1, 99] })).toEqual([1]);
      expect(await replayed({ undelivered: true })).toEqual([3]);
      expect((await replayed({ last: 2 })).length).toBe(2);
      expect((await started.control('POST', 'webhooks/replay', {})).status).toBe(400);
      const [first, again] = started.receiver.requests.filter((request) => request.body === bytes[0]);
      expect(again?.headers['x-hub-signature-256']).toBe(first?.headers['x-hub-signature-256']);
    });

    it.each([
      ['meta', '{"a":"\\u017c \\/"}'],
      ['compact', '{"a":"ż /"}'],
      ['pretty', '{\n  "a": "ż /"\n}'],
    ])('writes and signs JSON in style %s', async (style, expected) => {
      await started.control('POST', 'webhook/raw', { body: { a: 'ż /' }, style });
      const [request] = started.receiver.requests;
      expect(request?.body).toBe(expected);
      expect(request?.headers['x-hub-signature-256']).toBe(`sha256=${createHmac('sha256', SECRET).update(expected).digest('hex')}`);
    });

    it('hold up neither a send nor an inbound message while they are paused', async () => {
      await started.control('PATCH', 'profile', { status_mode: 'early' });
      await started.control('POST', 'webhooks/pause');
      const id = idOf(await started.sendTemplate());
      await started.receive({ text: 'During the pause' });
      expect(started.receiver.requests).toEqual([]);
      await started.control('POST', 'webhooks/resume');
      expect((await started.statusesOf(id, 1)).map(({ status }) => status)).toContain('delivered');
      await eventually(() => started.messages().length === 1);
    });

    it('posts no more concurrently than configured', async () => {
      await started.close();
      started = await Started.with({ callbackConcurrency: 2 });
      const waiting: (() => void)[] = [];
      started.receiver.respond((_, response) => void waiting.push(() => response.writeHead(200).end()));
      const all = Array.from({ length: 5 }, () => started.receive());
      for (let taken = 0; taken < 5; taken += waiting.splice(0).map((response) => response()).length) {
        await eventually(() => waiting.length > 0);
        expect(waiting.length).toBeLessThanOrEqual(2);
      }
      await Promise.all(all);
    });

    it('sends the handshake with the platform’s parameters', async () => {
      started.receiver.respond(({ path }, response) => {
        const query = new URL(path, 'http://localhost').searchParams;
        const isRight = query.get('hub.mode') === 'subscribe' && query.get('hub.verify_token') === 'mine';
        response.writeHead(isRight ? 200 : 403).end(query.get('hub.challenge') ?? '');
      });
      expect((await started.control('POST', 'handshake', { verify_token: 'mine' })).body).toEqual({ status: 200, verified: true });
      expect((await started.control('POST', 'handshake', {})).body).toEqual({ status: 403, verified: false });
    });
  });

  it('sends messages of every type, with sample contents, a username, edits and revocations', async () => {
    const types = [
      'image',
      'video',
      'audio',
      'document',
      'sticker',
      'location',
      'contacts',
      'button',
      'interactive',
      'order',
      'unsupported',
    ];
    for (const type of types) await started.receive({ type });
    const samples = started.messages();
    expect(samples.map(({ type }) => type)).toEqual(types);
    for (const message of samples) expect(Object.keys(message[message['type'] as string] as object)).not.toEqual([]);
    expect(samples[6]?.['contacts']).toMatchObject([{ name: { formatted_name: 'Warehouse Desk' } }]);
    const original_message_id = await started.receive({ username: 'ptolemy.quill' });
    expect(started.changes().at(-1)?.value.contacts).toMatchObject([{ profile: { username: 'ptolemy.quill' } }]);
    await started.receive({ type: 'edit', content: { original_message_id, message: { type: 'text', text: { body: 'Bye' } } } });
    await started.receive({ type: 'revoke', content: { original_message_id } });
    expect(started.messages().at(-1)).toMatchObject({ type: 'revoke', revoke: { original_message_id } });
  });

  it('applies a rule to every third matching message only; a rule can close the port', async () => {
    await started.control('POST', 'rules', { match: { template: 'hello_world' }, every: 3, error: { code: 131000, status: 500 } });
    const codes = [];
    for (let i = 0; i < 6; i++) codes.push(codeOf(await started.sendTemplate()));
    expect(codes).toEqual([undefined, undefined, 131000, undefined, undefined, 131000]);
    expect((await started.control('POST', 'rules', { every: 0 })).status).toBe(400);
    await started.control('DELETE', 'rules');
    await started.control('POST', 'rules', { times: 1, answer: { status: 500, body: 'away' }, refuse_connections_ms: 300 });
    await started.sendTemplate().catch(() => undefined);
    await eventually(() =>
      started.sendTemplate().then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
  });

  it('moves timestamps and windows with the clock, which can stop', async () => {
    const { body } = await started.control('POST', 'clock', { offset_seconds: -7_200, stopped: true });
    await started.receive();
    const at = Date.parse(String(body['now'])) / 1_000;
    expect(started.messages()[0]?.['timestamp']).toBe(String(Math.floor(at)));
    expect((await started.send({ text: { body: 'Hi' } })).status).toBe(200);
    const conversation = { phone_number_id: NUMBER, person: PERSON, last_wrote_at: body['now'] };
    expect((await started.control('GET', 'conversations')).body['conversations']).toEqual([{ ...conversation, open: true }]);
    await started.control('POST', 'clock', { offset_seconds: 22.5 * 3_600 });
    expect(codeOf(await started.send({ text: { body: 'Hi' } }))).toBe(131047);
    expect((await started.control('GET', 'conversations')).body['conversations']).toEqual([{ ...conversation, open: false }]);
  });

  it.each([
    ['ban', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } }, 133010],
    ['restrict', { event: 'ACCOUNT_RESTRICTION', restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING' }] }, 368],
    ['disconnect', { event: 'ACCOUNT_OFFBOARDED' }, 133010],
  ])('§4.6: %s posts an update, refuses messages, and can be undone', async (action, value, code) => {
    await started.control('POST', 'account', { phone_number_id: NUMBER, action });
    expect(started.changes()).toMatchObject([{ field: 'account_update', value }]);
    expect(JSON.parse(started.receiver.requests[0]?.body ?? '')).toMatchObject({ entry: [{ time: expect.any(Number) }] });
    expect(codeOf(await started.sendTemplate('12015550102'))).toBe(code);
    await started.control('POST', 'account', { phone_number_id: NUMBER, action: 'reinstate' });
    expect(started.changes()[1]?.value['event']).toBe(action === 'disconnect' ? 'ACCOUNT_RECONNECTED' : 'DISABLED_UPDATE');
    expect((await started.sendTemplate('12015550102')).status).toBe(200);
  });

  it('reset keeps only accounts and templates', async () => {
    await started.receive({ type: 'image' });
    await started.control('PATCH', 'profile', { profile: 'realistic', status_mode: 'drop' });
    await started.control('POST', 'clock', { offset_seconds: 60 });
    await started.control('POST', 'account', { phone_number_id: NUMBER, action: 'ban' });
    await started.control('POST', 'rules', { error: { code: 1 } });
    await started.control('POST', 'reset');
    const { body } = await started.control('GET', 'snapshot');
    expect(body).toMatchObject({
      clock: { offset_ms: 0 },
      profile: { profile: 'lenient', status_mode: 'usual' },
      conversations: [],
      phones: [],
      rules: { rules: [] },
      media: { files: [], links: [] },
      requests: [],
      callbacks: { held: [], log: [] },
    });
    expect((await started.sendTemplate()).status).toBe(200);
  });

  it('reset drops callbacks in flight', async () => {
    let fail: (() => void) | undefined;
    started.receiver.respond((_, response) => (fail ? void response.end() : (fail = () => void response.writeHead(500).end())));
    const first = started.receive({ text: 'Before the reset' });
    await eventually(() => fail);
    await started.control('POST', 'reset');
    fail?.();
    await first;
    await started.receive({ text: 'After the reset' });
    const { callbacks } = (await started.control<{ callbacks: { held: object[]; log: object[] } }>('GET', 'snapshot')).body;
    expect(callbacks.held).toEqual([]);
    expect(callbacks.log).toMatchObject([{ status: 200 }]);
    expect(started.messages().map(({ text }) => (text as { body: string }).body)).toEqual(['Before the reset', 'After the reset']);
  });

  it.each([
    ['POST', 'inbound', { phone_number_id: NUMBER, from: PERSON, colour: 'red' }],
    ['POST', 'inbound', { phone_number_id: NUMBER }],
    ['POST', 'inbound', { phone_number_id: NUMBER, from: 'Asha' }],
    ['POST', 'inbound', { phone_number_id: NUMBER, from: PERSON, bsuid: PERSON }],
    ['POST', 'rules', { match: { to: 'Asha' }, error: { code: 1 } }],
    ['POST', 'inbound', { phone_number_id: NUMBER, from: PERSON, at: 'soon' }],
    ['POST', 'inbound', { phone_number_id: NUMBER, from: PERSON, at: 1e300 }],
    ['POST', 'account', { phone_number_id: NUMBER, action: 'dance' }],
    ['POST', 'account', { phone_number_id: '1', action: 'ban' }],
    ['POST', 'templates/1/approve', {}],
    ['POST', 'clock', { stopped: 'yes' }],
    ['POST', 'clock', { offset_seconds: 1e306 }],
    ['POST', 'webhook/raw', { body: '{}', style: 'loud' }],
  ])('%s %s refuses %j in the platform’s envelope', async (method, path, body) => {
    const response = await started.control(method, path, body);
    expect([response.status, codeOf(response)]).toEqual([400, 100]);
  });

  it('requires its token if it has one; the Graph API does not', async () => {
    await started.close();
    started = await Started.with({ controlToken: 'secret' });
    expect((await started.control('GET', 'accounts')).status).toBe(401);
    expect((await started.control('GET', 'accounts', undefined, { authorization: 'Bearer wrong!' })).status).toBe(401);
    expect((await started.control('GET', 'accounts', undefined, { authorization: 'Bearer secret' })).status).toBe(200);
    expect((await started.control('GET', 'accounts?token=secret')).status).toBe(200);
    expect((await started.sendTemplate()).status).toBe(200);
  });

  it('makes the same ids, trace ids and pauses from the same seed, and others from another', async () => {
    const story = async (seed: number) => {
      const one = await Started.with({ seed });
      await one.control('POST', 'webhooks/pause');
      await one.control('POST', 'clock', { offset_seconds: 0, stopped: true });
      const sent = await one.sendTemplate();
      const refused = await one.sendTemplate('9991131000');
      const media = one.simulator.media.add(NUMBER, 'image/png', Buffer.from('x'), 'uploaded').id;
      const { state } = one.simulator.seeded;
      await one.close();
      return [idOf(sent), refused.headers.get('x-fb-trace-id'), media, state];
    };
    expect(await story(5)).toEqual(await story(5));
    expect(await story(5)).not.toEqual(await story(6));
  });

  it('runs every line of docs/simulator.md', async () => {
    const page = readFileSync('docs/simulator.md', 'utf8').replaceAll("'$N'", NUMBER).replaceAll('$N', NUMBER);
    const lines = [...page.matchAll(/^sim ([A-Z]+) +"?([^\s"]+)"?(?: '(.*)')?/gm)];
    expect(lines.length).toBeGreaterThan(30);
    let snapshot: unknown;
    for (const [line, method = '', path = '', body] of lines) {
      const request = body === undefined ? (line === 'sim POST snapshot' ? snapshot : undefined) : (JSON.parse(body) as unknown);
      const response = await started.control(method, path, request);
      expect([line, response.status]).toEqual([line, 200]);
      if (line === 'sim GET  snapshot') snapshot = response.body;
    }
    expect(snapshot).toBeDefined();
  });

  it.each([
    ['production', 'does not run in production'],
    ['prod', 'NODE_ENV must be one of'],
  ])('does not start with NODE_ENV=%s', (word, reason) => {
    const main = 'dist/apps/platform-simulator/src/main.js';
    const ran = spawnSync(process.execPath, [main], { encoding: 'utf8', env: { ...process.env, NODE_ENV: word }, timeout: 30_000 });
    expect(ran.status).toBe(1);
    expect(ran.stdout + ran.stderr).toContain(reason);
  });
});
