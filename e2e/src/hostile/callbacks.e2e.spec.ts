import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { STREAMS } from '@mgw/contracts';
import { eventually, memoryOf, startReceiver, type Receiver } from '@mgw/testing';
import { connect } from 'nats';
import type { Client } from 'pg';
import { connectAs } from '../database';
import { dashboardUser } from '../people';
import { startStack, type DemoBusiness, type RunningStack } from '../stack';

const FLOOD_CALLBACKS = 16;
const STREAM_BYTES = 64 * 1024 ** 2;
const MESSAGES_EACH = 500;
const FORGERS = 20;
const LONG = { timeoutMs: 120_000 };

/** Harmful callbacks through the public port (guarantees §10). */
describe('hostile callbacks', () => {
  let stack: RunningStack;
  let receiver: Receiver;
  let send: Client;

  beforeAll(async () => {
    // Each forger and WhatsApp have their own address.
    stack = await startStack({ heapMb: 128, streamMaxBytes: STREAM_BYTES, env: { TRUSTED_PROXIES: '127.0.0.1' } });
    receiver = await startReceiver();
    const owner = await dashboardUser(stack.demo.site_url, stack.starter.owner);
    await owner.call('POST', '/api/client/webhooks', { name: 'victim', url: receiver.url, events: ['message.received'] });
    send = await connectAs('send', stack);
  }, 150_000);
  afterAll(async () => {
    await send?.end();
    await receiver?.close();
    await stack?.stop();
  });

  const text = (id: string, from: string, body = 'Hi') => ({
    from,
    id,
    timestamp: String(Math.floor(Date.now() / 1_000)),
    type: 'text',
    text: { body },
  });
  const callback = ({ phone_number_id, business_account_id }: DemoBusiness, messages: unknown[]) =>
    JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: business_account_id, changes: [{ field: 'messages', value: { metadata: { phone_number_id }, messages } }] }],
    });
  const post = async (body: string, { signature = sign(body), address = '203.0.113.1' } = {}) => {
    const response = await fetch(`${stack.demo.site_url}/webhooks/whatsapp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature, 'x-forwarded-for': address },
      body,
    });
    await response.arrayBuffer();
    return response.status;
  };
  /** WhatsApp repeats a callback until it gets 200. */
  const postUntilStored = (body: string) => eventually(async () => (await post(body).catch(() => 0)) === 200 && 200, LONG);
  const sign = (body: string) => `sha256=${createHmac('sha256', stack.demo.app_secret).update(body).digest('hex')}`;
  const messagesOf = async ({ id }: DemoBusiness) => {
    const { rows } = await send.query<{ n: number }>('SELECT count(*)::integer AS n FROM send.inbound_messages WHERE business_id = $1', [
      id,
    ]);
    return rows[0]?.n ?? 0;
  };
  const received = (id: string) => receiver.requests.some(({ body }) => body.includes(id));

  it('gives each service a heap of 128 MB, and each stream its limit', async () => {
    const services = stack.processes().filter(({ probe_port, app }) => probe_port !== undefined && app !== 'platform-simulator');
    expect(services).toHaveLength(8);
    for (const { pid } of services) {
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).toContain('--max-old-space-size=128');
      expect(memoryOf(pid).residentMb).toBeGreaterThan(20);
    }
    const as = { user: 'send', pass: stack.passwords.nats['send'] as string, inboxPrefix: '_INBOX.send' };
    const nc = await connect({ port: stack.processes('NATS')[0]?.port as number, ...as });
    const manager = await nc.jetstreamManager();
    for (const name of Object.keys(STREAMS)) expect((await manager.streams.info(name)).config.max_bytes).toBe(STREAM_BYTES);
    await nc.close();
  });

  it('N2: every genuine callback gets 200 while forgers post without a break', async () => {
    const before = stack.pids();
    const large = callback(stack.growth, [text('wamid.forged', '919876500000', 'x'.repeat(60_000))]);
    let over = false;
    const forge = async (n: number) => {
      const statuses = new Set<number>();
      while (!over) statuses.add(await post(large, { signature: `sha256=${'0'.repeat(64)}`, address: `198.51.100.${n}` }).catch(() => 0));
      return statuses;
    };
    const forgers = Array.from({ length: FORGERS }, (_, n) => forge(n));
    const responses: number[] = [];
    for (let n = 0; n < 100; n++) {
      responses.push(await post(callback(stack.starter, [text(`wamid.genuine.${n}`, '919876511111')])));
      await pause(20);
    }
    over = true;
    for (const statuses of await Promise.all(forgers)) expect(statuses).not.toContain(200);
    expect(responses).toEqual(Array(100).fill(200));
    await eventually(() => received('wamid.genuine.99'), LONG);
    expect(stack.pids()).toEqual(before);
  }, 200_000);

  it('N3: a callback full of unreadable updates ends no process, and none after a restart', async () => {
    const before = stack.pids();
    const bad = (count: number, filler: number) =>
      JSON.stringify({
        entry: [
          {
            id: stack.growth.business_account_id,
            changes: [
              {
                field: 'messages',
                value: {
                  metadata: { phone_number_id: stack.growth.phone_number_id },
                  messages: Array.from({ length: count }, () => ({})),
                  filler: 'x'.repeat(filler),
                },
              },
            ],
          },
        ],
      });
    // An older version crashed on the first before its response, and on the second after it.
    expect(await postUntilStored(bad(4_900, 220_000))).toBe(200);
    expect(await postUntilStored(bad(4_900, 380_000))).toBe(200);
    expect(await postUntilStored(`{"entry":[{"changes":[{"field":"messages","value":{"messages":[${'0,'.repeat(1_000_000)}0]}}]}]}`)).toBe(
      200,
    );
    expect(await post(callback(stack.starter, [text('wamid.after.poison', '919876522222')]))).toBe(200);
    await eventually(() => received('wamid.after.poison'), LONG);
    expect(stack.pids()).toEqual(before);
    const killed = Object.values(stack.pids('platform-webhook-ingest'));
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    await stack.ready('platform-webhook-ingest', killed);
    expect(await postUntilStored(callback(stack.starter, [text('wamid.after.restart', '919876522222')]))).toBe(200);
    await eventually(() => received('wamid.after.restart'), LONG);
  }, 200_000);

  it('N2: the message of one business does not wait for the flood of another', async () => {
    const before = stack.pids();
    const flood = Array.from({ length: FLOOD_CALLBACKS }, (_, c) =>
      callback(
        stack.growth,
        Array.from({ length: MESSAGES_EACH }, (_, m) =>
          text(`wamid.flood.${c}.${m}`, `9198${String((c * MESSAGES_EACH + m) % 500).padStart(8, '0')}`),
        ),
      ),
    );
    const poster = async () => {
      for (let next = flood.shift(); next !== undefined; next = flood.shift()) expect(await postUntilStored(next)).toBe(200);
    };
    await Promise.all([poster(), poster(), poster(), poster()]);
    const floodBefore = await messagesOf(stack.growth);
    expect(await post(callback(stack.starter, [text('wamid.victim', '919876533333')]))).toBe(200);
    await eventually(() => received('wamid.victim'), LONG);
    const handled = (await messagesOf(stack.growth)) - floodBefore;
    // A few shares of the flood may come first, but not the whole flood.
    expect(handled).toBeLessThan((FLOOD_CALLBACKS * MESSAGES_EACH) / 4);
    // The flood loses no message.
    await eventually(async () => (await messagesOf(stack.growth)) >= FLOOD_CALLBACKS * MESSAGES_EACH, LONG);
    expect(stack.pids()).toEqual(before);
  }, 200_000);

  it("decision 255: a business that claims another's number gets 200 and none of its messages, even with the same app secret", async () => {
    const { id, phone_number_id, business_account_id } = stack.growth;
    const stranger = await dashboardUser(stack.demo.site_url, stack.starter.owner);
    const claim = await stranger.call('PUT', '/api/client/connection', { phone_number_id, business_account_id });
    expect(claim.status).toBe(200);
    const isRefused = async () => (await stranger.call('GET', '/api/client/connection')).body['status'] === 'problem';
    await eventually(isRefused, LONG);
    expect(await post(callback(stack.growth, [text('wamid.claimed', '919876544444')]))).toBe(200);
    const owners = async () => {
      const { rows } = await send.query<{ id: number }>(
        `SELECT business_id::integer AS id FROM send.inbound_messages WHERE message_id = 'wamid.claimed'`,
      );
      return rows.map((row) => row.id);
    };
    await eventually(async () => (await owners()).length > 0, LONG);
    expect(await owners()).toEqual([id]);
  });
});
