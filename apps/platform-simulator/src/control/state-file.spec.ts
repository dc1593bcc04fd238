import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@mgw/testing';
import { createLogger } from '@mgw/telemetry';
import { ACCOUNT, codeOf, idOf, NUMBER, PERSON, Started } from '../simulator.fixture';

describe('the state file (decision 745)', () => {
  let dir: string;
  let stateFile: string;
  let seed = 0;
  const running: Started[] = [];
  const start = async (file = stateFile) => {
    const started = await Started.with({ stateFile: file, seed: (seed += 1) });
    running.push(started);
    return started;
  };
  /** Only the clock of the writes is fake. */
  const WRITE_EVERY_MS = 3_000;
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: [
        'Date',
        'hrtime',
        'nextTick',
        'performance',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setTimeout',
        'clearTimeout',
      ],
    });
    dir = mkdtempSync(join(tmpdir(), 'mgw-simulator-'));
    stateFile = join(dir, 'simulator.json');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((started) => started.close()));
    rmSync(dir, { recursive: true, force: true });
    jest.useRealTimers();
  });
  /** Writes once. */
  const written = async (text: string) => {
    jest.advanceTimersByTime(WRITE_EVERY_MS);
    await eventually(() => existsSync(stateFile) && readFileSync(stateFile, 'utf8').includes(text));
  };
  const stop = async (started: Started) => {
    running.splice(running.indexOf(started), 1);
    await started.close();
  };
  const phone = async (started: Started) =>
    (await started.control<{ messages: { text: string }[] }>('GET', `phone?phone_number_id=${NUMBER}&person=${PERSON}`)).body.messages;
  const upload = async (started: Started, bytes: number) => {
    const form = new FormData();
    form.append('messaging_product', 'whatsapp');
    form.append('type', 'text/plain');
    form.append('file', new Blob([Buffer.alloc(bytes, 'a')], { type: 'text/plain' }), 'a.txt');
    return String((await started.graph('POST', `${NUMBER}/media`, form)).body['id']);
  };

  it('keeps templates, windows, files and phones over a stop and a start', async () => {
    const first = await start();
    const components = [{ type: 'BODY', text: 'Kept' }];
    const template = { name: 'kept', language: 'en', category: 'UTILITY', components };
    const made = await first.graph('POST', `${ACCOUNT}/message_templates`, template);
    await first.control('POST', `templates/${String(made.body['id'])}/approve`);
    await first.receive({ text: 'Before the stop' });
    await first.receive({ type: 'image' });
    const [image] = first.simulator.media.state().files;
    const link = {
      name: 'Steps',
      phone_number_id: '7',
      business_account_id: '8',
      display_phone_number: '9',
      access_token: 'EAA',
      app_secret: 's',
    };
    await first.control('POST', 'accounts', link);
    await stop(first);
    expect(statSync(stateFile).mode & 0o777).toBe(0o600);

    const second = await start();
    const { body: listed } = await second.graph('GET', `${ACCOUNT}/message_templates?name=kept`);
    expect(listed['data']).toMatchObject([{ status: 'APPROVED' }]);
    expect((await second.sendTemplate(PERSON, 'kept', 'en')).status).toBe(200);
    expect((await second.send({ text: { body: 'Hi' } })).status).toBe(200);
    expect((await second.graph('GET', image?.id ?? '')).body).toMatchObject({ mime_type: 'image/png' });
    expect((await phone(second)).map(({ text }) => text)).toEqual(['Before the stop', '[image]', expect.any(String), 'Hi']);
    const { body } = await second.control<{ accounts: { name: string }[] }>('GET', 'accounts');
    expect(body.accounts.map(({ name }) => name)).toContain('Steps');
  });

  it('posts after the start what the stop interrupted', async () => {
    const first = await start();
    await first.control('POST', 'webhooks/pause');
    await first.receive({ text: 'Kept back' });
    const sent = idOf(await first.sendTemplate('12015550101'));
    await stop(first);
    const second = await start();
    await second.control('POST', 'webhooks/resume');
    await eventually(() => second.messages().some(({ text }) => (text as { body: string }).body === 'Kept back'));
    expect((await second.statusesOf(sent, 2)).map(({ status }) => status).sort()).toEqual(['delivered', 'sent']);
  });

  it('writes changes while it runs, posts no batch early, and repeats no id after a kill', async () => {
    const killed = await start();
    await killed.control('PATCH', 'profile', { batch_ms: 60_000 });
    await killed.sendTemplate('12015550102');
    await eventually(() => killed.simulator.engine.count() === 0);
    await killed.receive({ text: 'Written' });
    await written('Written');
    expect(killed.simulator.callbacks.state().made).toBe(1);
    const left = join(dir, 'left.json');
    copyFileSync(stateFile, left);
    const sent = idOf(await killed.sendTemplate());
    const next = await start(left);
    expect(await phone(next)).toMatchObject([{ text: 'Written' }]);
    expect(idOf(await next.sendTemplate())).not.toBe(sent);
  });

  it('does not write again while a pause only holds callbacks back, and logs how many it leaves out', async () => {
    const logger = { ...createLogger('platform-simulator', 'silent'), warn: jest.fn() };
    const first = await Started.with({ stateFile, logger: logger as never });
    running.push(first);
    await first.control('POST', 'webhooks/pause');
    await first.receive({ text: 'Held' });
    await first.control('GET', 'load');
    await written('Held');
    const taken = jest.spyOn(first.simulator.media, 'state');
    jest.advanceTimersByTime(WRITE_EVERY_MS);
    await first.control('GET', 'load');
    expect(taken).not.toHaveBeenCalled();
    for (const body of ['a', 'b', 'c', 'd']) await first.control('POST', 'webhook/raw', { body: body.repeat(1_500_000) });
    await stop(first);
    expect(logger.warn).toHaveBeenCalledWith({ callbacks: 2 }, expect.stringContaining('no room'));
  });

  it('stays readable after odd messages, and rather old than unreadable', async () => {
    const first = await start();
    await first.receive({ content: { body: 123 } });
    await first.receive({ type: 'image', content: { caption: ['Look'], id: 7 } });
    await stop(first);
    const second = await start();
    const before = await phone(second);
    expect(before.map(({ text }) => text)).toEqual(['[text]', '[image]']);
    await second.receive({ text: 'Not kept' });
    second.simulator.phones.thread(NUMBER, PERSON).push({ text: 5 } as never);
    await stop(second);
    expect(await phone(await start())).toEqual(before);
  });

  it('keeps the newest files that fit into 16 MB', async () => {
    const first = await start();
    const files = [await upload(first, 6_000_000), await upload(first, 6_000_000), await upload(first, 6_000_000)];
    await stop(first);
    expect(statSync(stateFile).size).toBeLessThan(20_000_000);
    const second = await start();
    const found = await Promise.all(files.map(async (id) => (await second.graph('GET', id)).status));
    expect(found).toEqual([400, 200, 200]);
  });

  it.each(['{ "version": 1, "rand', '{ "version": 2 }', ''])('moves %j aside and starts empty', async (text) => {
    writeFileSync(stateFile, text);
    const started = await start();
    expect(readFileSync(`${stateFile}.unreadable`, 'utf8')).toBe(text);
    expect(codeOf(await started.send({ text: { body: 'Hi' } }))).toBe(131047);
    expect((await started.sendTemplate()).status).toBe(200);
  });

  it('reports to the page whether the state survives a restart', async () => {
    const forgetful = await Started.with();
    running.push(forgetful);
    for (const [started, keeps_state] of [
      [await start(), true],
      [forgetful, false],
    ] as const)
      expect((await started.control('GET', 'accounts')).body).toMatchObject({ keeps_state });
  });
});
