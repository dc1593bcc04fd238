import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { customer, dashboardUser, integrator, type ApiResponse, type DashboardUser } from './people';
import { startStack, type RunningStack } from './stack';

const SENDS_BEFORE = 40;
const SENDS_AFTER = 40;
const EVERY_MS = 50;
/** Recipients of the broadcast that the kill of all services interrupts; the spec of broadcasts kills the service alone. */
const RECIPIENTS = 300;
const BROADCAST = '1202558';
/** Sends of a broadcast in progress at the kill; they are resolved 35 s later. */
const IN_FLIGHT = 64;
const BACK_MS = 60_000;
const SERVICES = ['send', 'status', 'platform-webhook-ingest', 'outbound-webhook-dispatcher', 'template', 'gateway'];
/** The last one is the process of all services, after a change to that form. */
const VICTIMS = [...SERVICES, 'standalone'].map((app, i) => ({
  app,
  /** The first digits of everybody who gets a message while this service is killed. */
  prefix: `120255${i}`,
  /** A customer who opts out then. */
  leaving: `1202559000${i}`,
}));
const OPT_IN = ['message.status', 'suppression.changed', 'template.status', 'webhook.failing'];
/** The answer of this path is always 500. */
const BROKEN = '/broken';

interface Sent {
  message_id?: string;
  error_code?: string;
}
interface FeedEvent {
  seq: number;
  event_id: string;
  event: string;
  data: Record<string, unknown>;
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
describe('kill -9 of a service in the middle of sends, callbacks and deliveries', () => {
  let dir: string;
  let stack: RunningStack;
  let receiver: Receiver;
  let template: { id: string; name: string };
  let broken: number;
  let owner: DashboardUser;

  const findTemplate = async () => {
    const listed = await fetch(`${stack.demo.simulator_url}/__sim/templates?phone_number_id=${stack.growth.phone_number_id}`);
    const { templates } = (await listed.json()) as { templates: (typeof template & { status: string })[] };
    template = templates.find(({ name, status }) => name !== 'order_update' && status === 'APPROVED') as typeof template;
  };

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'mgw-killed-'));
    stack = await startStack({ dir });
    receiver = await startReceiver();
    const operator = await dashboardUser(stack.demo.site_url, stack.demo.operator);
    owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    await operator.call('PUT', '/api/admin/limits', { global_per_minute: 100_000 });
    const { body } = await operator.call<{ api_keys: { id: number }[] }>('GET', `/api/admin/api-keys?business_id=${stack.growth.id}`);
    await operator.call('PATCH', `/api/admin/api-keys/${body.api_keys[0]?.id}`, { per_minute_limit: 100_000, daily_limit: 100_000 });
    receiver.respond(({ path }, response) => void response.writeHead(path === BROKEN ? 500 : 200).end());
    await owner.call('POST', '/api/client/webhooks', { name: 'witness', url: receiver.url, events: ['message.sent', ...OPT_IN] });
    const failing = { name: 'broken', url: `${receiver.url}${BROKEN}`, events: ['message.sent'] };
    broken = (await owner.call<{ id: number }>('POST', '/api/client/webhooks', failing)).body.id;
    await findTemplate();
  }, 150_000);
  afterAll(async () => {
    await receiver?.close();
    await stack?.stop();
    rmSync(dir, { recursive: true, force: true });
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
      .filter(({ path }) => path !== BROKEN)
      .map(({ body }) => JSON.parse(body) as { event: string; data: { message_id: string; to: string } })
      .filter(({ event, data: { to } }) => event === 'message.sent' && to.startsWith(prefix))
      .map(({ data: { message_id } }) => message_id);
  const broadcastTo = async () => (await platformCalls(BROADCAST)).map(({ body }) => body.to);
  const startBroadcast = async () => {
    const recipients = Array.from({ length: RECIPIENTS }, (_, i) => ({ phone: `${BROADCAST}${1000 + i}`, body_params: ['Asha', i] }));
    await owner.call('POST', '/api/client/broadcasts', { name: 'Autumn', template_name: 'order_update', recipients });
    await eventually(async () => (await broadcastTo()).length > 0);
  };
  const decide = (action: 'pause' | 'approve') =>
    fetch(`${stack.demo.simulator_url}/__sim/templates/${template.id}/${action}`, { method: 'POST' });
  /** All events of the business in the order of their numbers. */
  const feed = async () => {
    const events: FeedEvent[] = [];
    for (let more = true; more;) {
      const path = `events?after=${events.at(-1)?.seq ?? 0}`;
      const { body } = await integrator(stack.demo.base_url, stack.growth.api_key).get<{ events: FeedEvent[]; gap: boolean }>(path);
      expect(body.gap).toBe(false);
      events.push(...body.events);
      more = body.events.length > 0;
    }
    return events;
  };
  const ofType = (events: FeedEvent[], type: string) => events.filter(({ event }) => event === type);

  it.each(VICTIMS)(
    '$app: loses nothing and sends nothing twice (guarantees §1, §4, §8, decision 501)',
    async ({ app, prefix, leaving }) => {
      if (app === 'standalone') {
        await stack.stop();
        stack = await startStack({ dir, standalone: true });
        owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
        await findTemplate();
      }
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
      const broadcasts = app === 'standalone';
      if (broadcasts) await startBroadcast();
      const person = customer(stack.demo, stack.growth, leaving);
      await Promise.all([person.writes('STOP'), decide('pause')]);
      for (const { pid } of stack.processes(app)) process.kill(pid, 'SIGKILL');
      const killedAt = Date.now();
      // The machine's speed decides how long the service is down: sends continue until one that began after the kill is accepted.
      await sendUntil(() => {
        if (Date.now() - killedAt > BACK_MS) throw new Error(`no send was accepted within ${BACK_MS / 1000} s of the kill`);
        return responses.length >= sentBefore + SENDS_AFTER && accepted.some(({ n }) => n >= sentBefore);
      });
      await Promise.all(responses);
      const isResumed = async () => (await broadcastTo()).length >= RECIPIENTS - IN_FLIGHT;
      if (broadcasts) await eventually(isResumed, { timeoutMs: 40_000, everyMs: 100 });
      const received = await broadcastTo();
      expect(new Set(received).size).toBe(received.length);

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

      // The platform may repeat updates in another order, so the next change follows when this one is known.
      const suppression = async () => (await crm.get(`suppressions/${leaving}`)).status;
      const isPaused = async () =>
        !(await crm.get<{ templates: (typeof template)[] }>('templates')).body.templates.some(({ name }) => name === template.name);
      await eventually(async () => (await suppression()) === 200 && (await isPaused()), { timeoutMs: 40_000, everyMs: 100 });
      await Promise.all([person.writes('START'), decide('approve')]);
      await eventually(async () => (await suppression()) === 404 && !(await isPaused()), { timeoutMs: 40_000, everyMs: 100 });
    },
    150_000,
  );

  it('decisions 282, 350: the feed has each of these events once, by number without gaps', async () => {
    const delivered = eventIds('');
    const events = await feed();
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
    const sent = ofType(events, 'message.sent').map(({ data }) => data['message_id']);
    expect(new Set(sent).size).toBe(sent.length);
    expect(sent).toEqual(expect.arrayContaining(delivered));
  });

  it('decisions 286, 365 to 367: each change of a status, an opt-out, a template and a failing webhook is one event', async () => {
    const failures = (count: number) => [10, 50, 100, 500, 1_000].filter((reported) => reported <= count);
    const count = (events: FeedEvent[], type: string) => ofType(events, type).length;
    const events = await eventually(async () => {
      const all = await feed();
      const isRead = ofType(all, 'message.status').filter(({ data }) => data['status'] === 'read').length === count(all, 'message.sent');
      const isCounted = count(all, 'webhook.failing') === failures(count(all, 'message.sent')).length;
      return isRead && isCounted && count(all, 'suppression.changed') + count(all, 'template.status') === 4 * VICTIMS.length && all;
    });
    const isSent = new Set<unknown>();
    const status = new Map<unknown, unknown>();
    for (const { event, data } of events) {
      const { message_id: id } = data;
      if (event === 'message.sent') isSent.add(id);
      if (event !== 'message.status') continue;
      expect([id, isSent.has(id), data['previous_status']]).toEqual([id, true, status.get(id) ?? 'sent']);
      status.set(id, data['status']);
    }
    expect([...status.values()].filter((last) => last !== 'read')).toEqual([]);
    expect(new Set(status.keys())).toEqual(isSent);
    const opted = ofType(events, 'suppression.changed').map(({ data }) => [data['phone'], data['previous_state'], data['state']]);
    expect(opted).toEqual(
      VICTIMS.flatMap(({ leaving }) => [
        [leaving, null, 'opted_out'],
        [leaving, 'opted_out', null],
      ]),
    );
    const decided = ofType(events, 'template.status').map(({ data }) => [data['template_name'], data['status']]);
    expect(decided).toEqual(
      VICTIMS.flatMap(() => [
        [template.name, 'PAUSED'],
        [template.name, 'APPROVED'],
      ]),
    );
    const counts = ofType(events, 'webhook.failing').map(({ data }) => [data['webhook_id'], data['fail_count']]);
    expect(counts).toEqual(failures(isSent.size).map((reported) => [broken, reported]));
  });
});
