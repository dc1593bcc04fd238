import { FindAccess, GetAutoReply, SetAutoReply, TryAutoReply } from '@mgw/contracts';
import { startHarness, type Harness } from '@mgw/harness';
import type { RunningService } from '@mgw/service';
import { startReceiver, type Receiver } from '@mgw/testing';
import { service } from '../main';

const BUSINESS = 1;

describe("spec §10, guarantees §9: the model's key and address", () => {
  let harness: Harness;
  let own: Receiver;
  let other: Receiver;
  let sealed: string;
  let first: RunningService;

  beforeAll(async () => {
    harness = await startHarness(service);
    harness.respond(FindAccess, () => ({ found: [{ plan: 'Pro', timezone: 'UTC', daily_limit: null }] }));
    [own, other] = [await startReceiver(), await startReceiver()];
    for (const receiver of [own, other]) {
      receiver.respond((_, response) => response.end(JSON.stringify({ choices: [{ message: { content: 'Yes.' } }] })));
      harness.onClose(() => receiver.close());
    }
    Object.assign(harness.env, { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', AUTO_REPLY_BASE_URL: `${own.url}/v1` });
    first = await harness.run(service);
    sealed = harness.sealer.seal('the secret key', `auto_reply.api_key:${BUSINESS}`);
  });
  afterAll(() => harness.close());
  beforeEach(() => harness.db.query('TRUNCATE auto_reply.settings'));

  const set = (change: object) => harness.rpc.call(SetAutoReply, { business_id: BUSINESS, ...change });
  const hasKey = async () => (await harness.rpc.call(GetAutoReply, { business_id: BUSINESS })).has_api_key;
  const receivedBy = async (receiver: Receiver) => {
    await harness.rpc.call(TryAutoReply, { business_id: BUSINESS, text: 'Are you open?' });
    return receiver.requests.at(-1)?.headers['authorization'];
  };

  it('a new address without a key removes the key, so that it never reaches the new host', async () => {
    await set({ base_url: own.url, api_key_sealed: sealed });
    expect(await receivedBy(own)).toBe('Bearer the secret key');
    expect(await set({ base_url: other.url })).toEqual({ api_key_removed: true });
    expect(await hasKey()).toBe(false);
    expect(await receivedBy(other)).toBeUndefined();
    expect(await set({ base_url: own.url })).toEqual({ api_key_removed: false });
    expect(await receivedBy(own)).toBeUndefined();
  });

  it("a change from or to the deployment's own address removes the key", async () => {
    await set({ api_key_sealed: sealed });
    expect(await receivedBy(own)).toBe('Bearer the secret key');
    await set({ base_url: other.url });
    expect(await receivedBy(other)).toBeUndefined();
    await set({ base_url: other.url, api_key_sealed: sealed });
    await set({ base_url: null });
    expect(await hasKey()).toBe(false);
  });

  it('a key in the same request is stored for the new address, and another path on the same host keeps it', async () => {
    await set({ base_url: own.url, api_key_sealed: sealed });
    expect(await set({ base_url: other.url, api_key_sealed: sealed })).toEqual({ api_key_removed: false });
    expect(await receivedBy(other)).toBe('Bearer the secret key');
    expect(await set({ base_url: `${other.url.toUpperCase().replace('HTTP', 'http')}/v2/` })).toEqual({ api_key_removed: false });
    expect(await receivedBy(other)).toBe('Bearer the secret key');
    expect(await set({ model: 'another' })).toEqual({ api_key_removed: false });
    expect(await hasKey()).toBe(true);
  });

  it('decision 712: keeps the key when the sealing key is replaced', async () => {
    await set({ base_url: own.url, api_key_sealed: sealed });
    await first.stop();
    await harness.rotateKeys(service);
    await harness.run(service);
    expect(await receivedBy(own)).toBe('Bearer the secret key');
  });
});
