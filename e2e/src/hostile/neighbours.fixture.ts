import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually, type Receiver } from '@mgw/testing';
import { customer, dashboardUser, integrator, type DashboardUser } from '../people';
import type { DemoBusiness, RunningStack } from '../stack';

const CUSTOMER = '12035550001';

/** Durations of the victim's requests in milliseconds, by kind. */
export type Measured = Record<'send' | 'status' | 'page' | 'webhook', number[]>;

const percentile = (list: number[], part: number) => [...list].sort((a, b) => a - b)[Math.floor(list.length * part)] ?? Infinity;
export const median = (list: number[]): number => percentile(list, 0.5);
export const p99 = (list: number[]): number => percentile(list, 0.99);

/** A business that works as usual, one request at a time. */
export class Victim {
  private constructor(
    private readonly stack: RunningStack,
    private readonly business: DemoBusiness,
    private readonly owner: DashboardUser,
    private readonly receiver: Receiver,
  ) {}

  static async start(stack: RunningStack, business: DemoBusiness, receiver: Receiver): Promise<Victim> {
    const owner = await dashboardUser(stack.demo.site_url, business.owner);
    await owner.call('POST', '/api/client/webhooks', { name: 'victim', url: receiver.url, events: ['message.received', 'ai.replied'] });
    return new Victim(stack, business, owner, receiver);
  }

  /** @throws Error if a request fails */
  async measure(rounds: number): Promise<Measured> {
    const took: Measured = { send: [], status: [], page: [], webhook: [] };
    const crm = integrator(this.stack.demo.base_url, this.business.api_key);
    const timed = async <T extends { status: number; body: unknown }>(kind: keyof Measured, request: () => Promise<T>): Promise<T> => {
      const begun = performance.now();
      const response = await request();
      if (response.status !== 200) throw new Error(`${kind}: ${response.status} ${JSON.stringify(response.body)}`);
      took[kind].push(performance.now() - begun);
      return response;
    };
    for (let round = 0; round < rounds; round++) {
      const template = { phone: CUSTOMER, template_name: 'hello_world', language: 'en_US' };
      const { body } = await timed('send', () => crm.post<{ message_id: string }>('send-template', template));
      // The record may follow the response of the send.
      const statusOf = () => crm.get(`message-status/${encodeURIComponent(body.message_id)}`);
      await eventually(async () => (await statusOf()).status === 200, { timeoutMs: 60_000, everyMs: 100 });
      await timed('status', statusOf);
      await timed('page', () => this.owner.call('GET', '/api/client/conversations'));
      took.webhook.push(await this.delivered('message.received'));
    }
    return took;
  }

  /** @returns milliseconds from a customer's message to the model's reply */
  async reply(): Promise<number> {
    const switchTo = (enabled: boolean) => this.owner.call('PUT', '/api/client/auto-reply', { enabled, instructions: 'Be kind.' });
    await switchTo(true);
    const took = await this.delivered('ai.replied');
    await switchTo(false);
    return took;
  }

  /** @returns milliseconds from a customer's message to the event that it causes, at the victim's receiver */
  private async delivered(event: string): Promise<number> {
    const text = `hello ${Math.random()}`;
    const begun = performance.now();
    await customer(this.stack.demo, this.business, CUSTOMER).writes(text);
    const isThere = () => this.receiver.requests.some(({ body }) => body.includes(text) && body.includes(`"event":"${event}"`));
    await eventually(isThere, { timeoutMs: 90_000, everyMs: 5 });
    return performance.now() - begun;
  }
}

/** A load on the product. */
export interface Load {
  /** Requests that have begun, per second. */
  perSecond(): number;
  /** Resolves when the last request has ended. */
  stop(): Promise<void>;
}

/** Repeats `act` in this many loops until stopped. */
export function repeat(loops: number, act: () => Promise<unknown>): Load {
  let [stopped, begun] = [false, 0];
  const startedAt = performance.now();
  const workers = Array.from({ length: loops }, async () => {
    while (!stopped) {
      begun += 1;
      await act().catch(() => pause(50));
    }
  });
  return {
    perSecond: () => (1_000 * begun) / (performance.now() - startedAt),
    stop: async () => {
      stopped = true;
      await Promise.all(workers);
    },
  };
}

/** A load that was sent at once. */
export function burst(sent: Promise<unknown> = Promise.resolve()): Load {
  return { perSecond: () => 0, stop: () => sent.then(() => undefined) };
}

/** Begins `act` this often per second, however long each one takes. */
export function pace(perSecond: number, act: () => Promise<unknown>): Load {
  const running = new Set<Promise<unknown>>();
  const startedAt = performance.now();
  let begun = 0;
  const timer = setInterval(() => {
    for (; begun < (perSecond * (performance.now() - startedAt)) / 1_000; begun += 1) {
      const one: Promise<unknown> = act()
        .catch(() => undefined)
        .finally(() => running.delete(one));
      running.add(one);
    }
  }, 10);
  return {
    perSecond: () => perSecond,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(running);
    },
  };
}

/** Posts callbacks to the gateway, signed with the secret. */
export function callbackPoster({ demo }: RunningStack, { phone_number_id, business_account_id }: DemoBusiness) {
  return async (value: object, secret: string): Promise<number> => {
    const metadata = { display_phone_number: '12025550151', phone_number_id };
    const change = { field: 'messages', value: { messaging_product: 'whatsapp', metadata, ...value } };
    const body = JSON.stringify({ object: 'whatsapp_business_account', entry: [{ id: business_account_id, changes: [change] }] });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${signature}` };
    const response = await fetch(`${demo.site_url}/webhooks/whatsapp`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  };
}

/** The content of one callback with a message of each of `count` customers. */
export function inboundMessages(count: number, name: string): object {
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const people = Array.from({ length: count }, (_, i) => `1204${String(i).padStart(7, '0')}`);
  return {
    contacts: people.map((wa_id) => ({ profile: { name: 'Flood' }, wa_id })),
    messages: people.map((from, i) => ({ from, id: `wamid.${name}.${i}`, timestamp, type: 'text', text: { body: `Hi ${i}` } })),
  };
}
