import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Gateway, InvalidSignature, verifyWebhook } from '@mgw/client';
import { eventually, freePort, installedProgram, runToEnd, startReceiver, type Receiver } from '@mgw/testing';
import { customer, dashboardUser, integrator, type DashboardUser } from './people';
import { ROOT, sharedStack, type SharedStack } from './stack';

const blocks = (page: string, language: string) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );
/** A webhook's body, whose signature the servers of the samples check. */
const BODY = '{"event":"message.sent"}';
/** Makes curl fail on a refused request, so that the script stops where a reader would. */
const STRICT = 'set -euo pipefail\ncurl() { command curl --fail --show-error "$@"; }\n';

/** Runs the documents' samples unchanged, and the client library, against the demo. */
describe('samples of the documentation, and the client library', () => {
  let stack: SharedStack;
  let owner: DashboardUser;
  let dir: string;
  const servers: ChildProcess[] = [];

  beforeAll(async () => {
    installedProgram('curl');
    stack = await sharedStack();
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    dir = mkdtempSync(join(tmpdir(), 'mgw-docs-'));
    mkdirSync(join(dir, '.local'));
    writeFileSync(join(dir, '.local/demo.json'), JSON.stringify(stack.demo));
    // Pack and unpack the client like a published package.
    const run = async (program: string, ...args: string[]) => {
      const { status, stdout, stderr } = await runToEnd(program, args, { cwd: ROOT });
      if (status !== 0) throw new Error(stdout + stderr);
    };
    await run(process.execPath, 'tools/build/client.mjs', join(dir, 'built'));
    await run('npm', 'pack', join(dir, 'built'), '--pack-destination', dir, '--offline');
    mkdirSync(join(dir, 'node_modules'));
    await run('tar', '-xzf', join(dir, 'messaging-gateway-client-1.0.0.tgz'), '-C', join(dir, 'node_modules'));
    renameSync(join(dir, 'node_modules/package'), join(dir, 'node_modules/messaging-gateway-client'));
  }, 150_000);
  afterAll(async () => {
    for (const server of servers) server.kill();
    rmSync(dir, { recursive: true, force: true });
  });

  const here = (text: string) =>
    text
      .replaceAll('http://127.0.0.1:8080', stack.demo.site_url)
      .replaceAll('http://127.0.0.1:8090', stack.demo.simulator_url)
      .replace('{"email": "you@example.com", "password": "the operator password"}', JSON.stringify(stack.demo.operator));

  describe('the client library', () => {
    let receiver: Receiver;
    beforeAll(async () => {
      receiver = await startReceiver();
      await owner.call('POST', '/api/client/webhooks', { name: 'w', url: receiver.url, events: ['message.sent'], secret: 'swordfish' });
    });
    afterAll(() => receiver?.close());

    it('sends, follows a message, and throws errors with their code', async () => {
      const gateway = new Gateway({ url: stack.demo.site_url, apiKey: stack.growth.api_key });
      const sent = await gateway.sendTemplate({ phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1007'] });
      expect(sent).toMatchObject({ success: true, phone: '12015550100', delivery_status: 'queued' });
      const { message_id } = sent;
      expect(await gateway.messageStatus(message_id)).toMatchObject({ api_status: 'success', message_id });
      const refused = gateway.sendText({ phone: '+1 201 555 0100', message: 'Hello' });
      await expect(refused).rejects.toMatchObject({ error_code: 'WINDOW_CLOSED' });
    });

    it('uploads and downloads files as streams', async () => {
      const gateway = new Gateway({ url: stack.demo.site_url, apiKey: stack.growth.api_key });
      for (const file of ['Two metres of silk', new Blob(['Two metres of silk']).stream()]) {
        const { media_id } = await gateway.uploadMedia(file, { type: 'text/plain', filename: 'order.txt' });
        const part = await gateway.downloadMedia(media_id, { range: 'bytes=4-9' });
        expect([part.status, await part.text()]).toEqual([206, 'metres']);
      }
    });

    it('accepts a webhook of the dispatcher and rejects a forged one (spec §5.9)', async () => {
      const { body, headers } = await eventually(() => receiver.requests[0]);
      const signature = headers['x-service-signature'];
      expect(verifyWebhook({ secret: 'swordfish', signature, body })).toMatchObject({ event: 'message.sent', data: { to: '12015550100' } });
      for (const forged of [
        { secret: 'other', signature, body },
        { secret: 'swordfish', signature, body: `${body} ` },
        { secret: 'swordfish', signature: undefined, body },
        { secret: 'swordfish', signature: 'zz', body },
      ])
        expect(() => verifyWebhook(forged)).toThrow(InvalidSignature);
    });
  });

  it.each(['README.md', 'docs/guides.md', 'docs/webhooks.md'])('%s: every command works, in order', async (page) => {
    const body = { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1'] };
    const sent = await integrator(stack.demo.base_url, stack.growth.api_key).post<{ message_id: string }>('send-template', body);
    const lines = here(blocks(page, 'sh').join('')).replaceAll(/(?<=message-status\/)wamid\.…/g, encodeURIComponent(sent.body.message_id));
    const ran = await runToEnd('bash', ['-c', STRICT + lines], { cwd: dir });
    expect([ran.status, ran.status === 0 ? '' : ran.stdout + ran.stderr]).toEqual([0, '']);
    expect(ran.stdout).toContain('"message');
  });

  /**
   * Starts a sample's server and waits until it refuses a request without a right signature. One that ends starts again on another port.
   * @param launch writes the sample for the port. @returns the program and its arguments
   * @returns the server's origin
   */
  const serve = (launch: (port: number) => string[], headers: Record<string, string> = {}) =>
    eventually(async () => {
      const port = await freePort();
      const [program = '', ...args] = launch(port);
      const env = { ...process.env, API_KEY: stack.growth.api_key };
      const server = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], cwd: dir, env });
      servers.push(server);
      let output = '';
      server.stderr.on('data', (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-2_000)));
      const ended = new Promise<never>((_, reject) => server.once('exit', (code) => reject(new Error(`it ended with ${code}: ${output}`))));
      const origin = `http://127.0.0.1:${port}`;
      const refuses = async () =>
        (await fetch(`${origin}/hook`, { method: 'POST', body: BODY, headers }).catch(() => null))?.status === 401;
      await Promise.race([ended, eventually(refuses)]);
      return origin;
    });

  it('docs/guides.md: the bot shows its buttons, and replies to the tap', async () => {
    const [source = ''] = blocks('docs/guides.md', 'js');
    const url = await serve((port) => {
      writeFileSync(join(dir, 'bot.mjs'), here(source).replace('9100', String(port)));
      return [process.execPath, join(dir, 'bot.mjs')];
    });
    const hook = { name: 'bot', url, events: ['message.received'], secret: 'swordfish' };
    const made = await owner.call<{ id: number }>('POST', '/api/client/webhooks', hook);
    const person = customer(stack.demo, stack.growth, '12015559107');
    const shown = async () => {
      const requests = await fetch(`${stack.demo.simulator_url}/__sim/requests?limit=20000`);
      const { requests: calls } = (await requests.json()) as { requests: { body: { to?: string; type?: string } | null }[] };
      return calls.map(({ body }) => body).filter((body) => body?.to === `+${person.phone}`);
    };
    await person.writes('Hello');
    await eventually(async () => (await shown()).length > 0);
    const tapped = await person.sends({
      type: 'interactive',
      content: { type: 'button_reply', button_reply: { id: 'am', title: 'Morning' } },
    });
    await eventually(async () => (await shown()).length > 1);
    expect(await shown()).toMatchObject([
      { type: 'interactive', interactive: { action: { buttons: [{ reply: { id: 'am' } }, { reply: { id: 'pm' } }] } } },
      { type: 'text', text: { body: 'Morning it is.' }, context: { message_id: tapped } },
    ]);
    await owner.call('DELETE', `/api/client/webhooks/${made.body.id}`);
  });

  it.each([
    ['send.mjs', (source: string) => source],
    // Both kinds of modules have one copy of the code.
    [
      'send.cjs',
      (source: string) =>
        `(async () => {${source.replace(/^import (.*) from (.*);$/m, 'const $1 = require($2);\nif (Gateway !== (await import($2)).Gateway) throw Gateway;')}})();`,
    ],
  ])('libs/client/README.md: the packed client sends, from %s', async (file, asModule) => {
    const [source = ''] = blocks('libs/client/README.md', 'ts');
    writeFileSync(join(dir, file), here(asModule(source)));
    const env = { ...process.env, API_KEY: stack.growth.api_key };
    const ran = await runToEnd(process.execPath, [join(dir, file)], { env });
    expect([ran.stdout, ran.stderr]).toEqual([expect.stringMatching(/^wamid\./), '']);
  });

  it.each([
    ['docs/webhooks.md', 'js', 'hook.mjs', (file: string) => [process.execPath, file]],
    ['libs/client/README.md', 'ts', 'client.mjs', (file: string) => [process.execPath, file]],
    ['docs/webhooks.md', 'python', 'hook.py', (file: string) => [installedProgram('python3'), file]],
    ['docs/webhooks.md', 'php', 'hook.php', (file: string, port: number) => [installedProgram('php'), '-S', `127.0.0.1:${port}`, file]],
  ] as const)('%s: the server in %s accepts the dispatcher’s requests and no others (spec §5.9)', async (page, language, file, command) => {
    const source = blocks(page, language).find((text) => text.includes('9000') || language === 'php') ?? '';
    const launch = (port: number) => {
      writeFileSync(join(dir, file), source.replace('9000', String(port)));
      return command(join(dir, file), port);
    };
    const forged = createHmac('sha256', 'other').update(BODY).digest('hex');
    const url = `${await serve(launch, { 'x-service-signature': forged })}/hook`;
    const unsigned = await fetch(url, { method: 'POST', body: BODY, headers: { 'x-service-signature': '' } });
    expect(unsigned.status).toBe(401);

    const hook = { name: language, url, events: ['message.received'], secret: 'swordfish' };
    const { body: made } = await owner.call<{ id: number }>('POST', '/api/client/webhooks', hook);
    await owner.call('POST', `/api/client/webhooks/${made.id}/test`, {});
    const delivery = await eventually(async () => {
      const list = await owner.call<{ deliveries: { state: string; response_code: number | null }[] }>(
        'GET',
        `/api/client/webhooks/${made.id}/deliveries`,
      );
      return list.body.deliveries.find(({ state }) => state === 'succeeded' || state === 'failed');
    });
    expect(delivery).toMatchObject({ state: 'succeeded', response_code: 200 });
  });
});
