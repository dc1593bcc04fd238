import { setTimeout as pause } from 'node:timers/promises';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { dashboardUser, integrator, type ApiResponse } from './people';
import { startStack, type RunningStack } from './stack';

const SENDS_BEFORE = 40;
const SENDS_AFTER = 40;
const EVERY_MS = 50;
const BACK_MS = 60_000;
const VICTIMS = ['send', 'status', 'platform-webhook-ingest', 'outbound-webhook-dispatcher', 'template', 'gateway'].map((app, i) => ({
  app,
  /** The first digits of everybody who gets a message while this service is killed. */
  prefix: `120255${i}`,
}));

interface Sent {
  message_id?: string;
  error_code?: string;
}
interface PlatformCall {
  method: string;
  path: string;
  status: number;
  body: { to?: string; biz_opaque_callback_data?: string };
  response: { messages?: { id: string }[] };
}

/**
 * The platform's log is the witness: no send reaches the platform twice, and every message that the platform accepted gets its record and its
 * event.
 */
describe('kill -9 of a service in the middle of sends', () => {
  let stack: RunningStack;
  let receiver: Receiver;

  beforeAll(async () => {
    stack = await startStack();
    receiver = await startReceiver();
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    await operator.call('PUT', '/api/admin/limits', { global_per_minute: 100_000 });
    const { body } = await operator.call<{ api_keys: { id: number }[] }>('GET', `/api/admin/api-keys?business_id=${stack.growth.id}`);
    await operator.call('PATCH', `/api/admin/api-keys/${body.api_keys[0]?.id}`, { per_minute_limit: 100_000, daily_limit: 100_000 });
    await owner.call('POST', '/api/client/webhooks', { name: 'witness', url: receiver.url, events: ['message.sent'] });
  }, 150_000);
  afterAll(async () => {
    await receiver?.close();
    await stack?.stop();
  });

  const platformCalls = async (prefix: string) => {
    const response = await fetch(`${stack.demo.simulator_url}/__sim/requests?limit=10000`);
    const { requests } = (await response.json()) as { requests: PlatformCall[] };
    return requests.filter(
      ({ method, path, body }) => method === 'POST' && path.endsWith('/messages') && body.to?.startsWith(`+${prefix}`),
    );
  };
  const eventIds = (prefix: string) =>
    receiver.requests
      .map(({ body }) => (JSON.parse(body) as { data: { message_id: string; to: string } }).data)
      .filter(({ to }) => to.startsWith(prefix))
      .map(({ message_id }) => message_id);

  it.each(VICTIMS)(
    '$app: loses nothing and sends nothing twice (guarantees §1, §4, §8)',
    async ({ app, prefix }) => {
      const crm = integrator(stack.demo.base_url, stack.growth.api_key);
      const send = (n: number) =>
        crm.post<Sent>('send-template', {
          phone: `${prefix}${String(n).padStart(4, '0')}`,
          template_name: 'order_update',
          body_params: ['Asha', String(n)],
        });
      const responses: Promise<ApiResponse<Sent> | null>[] = [];
      const accepted: { n: number; id: string }[] = [];
      const sendUntil = async (isEnough: () => boolean) => {
        for (; !isEnough(); await pause(EVERY_MS)) {
          const n = responses.length;
          const responded = send(n).catch(() => null);
          responses.push(responded);
          void responded.then((response) => {
            if (response?.status === 200 && response.body.message_id) accepted.push({ n, id: response.body.message_id });
          });
        }
      };
      await sendUntil(() => responses.length >= SENDS_BEFORE && accepted.length > 0);
      const sentBefore = responses.length;
      for (const { pid } of stack.processes(app)) process.kill(pid, 'SIGKILL');
      const killedAt = Date.now();
      // The machine's speed decides how long the service is down: sends continue until one that began after the kill is accepted.
      await sendUntil(() => {
        if (Date.now() - killedAt > BACK_MS) throw new Error(`no send was accepted within ${BACK_MS / 1000} s of the kill`);
        return responses.length >= sentBefore + SENDS_AFTER && accepted.some(({ n }) => n >= sentBefore);
      });
      await Promise.all(responses);

      const calls = await platformCalls(prefix);
      const intents = calls.map(({ body }) => body.biz_opaque_callback_data);
      expect(new Set(intents).size).toBe(intents.length);
      const recipients = calls.map(({ body }) => body.to);
      expect(new Set(recipients).size).toBe(recipients.length);

      const onPlatform = calls.flatMap(({ status, response }) => (status === 200 ? (response.messages ?? []).map(({ id }) => id) : []));
      expect(onPlatform).toEqual(expect.arrayContaining(accepted.map(({ id }) => id)));
      for (const id of onPlatform) {
        await eventually(async () => (await crm.get(`message-status/${encodeURIComponent(id)}`)).body['delivery_status'] === 'read', {
          timeoutMs: 40_000,
          everyMs: 100,
        });
      }
      await eventually(() => onPlatform.every((id) => eventIds(prefix).includes(id)), { timeoutMs: 40_000, everyMs: 100 });
      expect(new Set(eventIds(prefix))).toEqual(new Set(onPlatform));
    },
    150_000,
  );

  it('decisions 282, 350: the feed has each of these events once, by number without gaps', async () => {
    const crm = integrator(stack.demo.base_url, stack.growth.api_key);
    const events: { seq: number; event_id: string; event: string }[] = [];
    for (let more = true; more;) {
      const { body } = await crm.get<{ events: typeof events; gap: boolean }>(`events?after=${events.at(-1)?.seq ?? 0}`);
      expect(body.gap).toBe(false);
      events.push(...body.events);
      more = body.events.length > 0;
    }
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    const sent = events.filter(({ event }) => event === 'message.sent').map(({ event_id }) => event_id.slice('message.sent:'.length));
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toEqual(expect.arrayContaining(eventIds('')));
  });
});
