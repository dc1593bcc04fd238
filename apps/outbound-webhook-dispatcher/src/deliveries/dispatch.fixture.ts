import {
  CreateWebhook,
  ListDeliveries,
  ListWebhooks,
  MessageSent,
  type EventEnvelope,
  type ResponseOf,
  type WebhookRecord,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { startHarness, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { service } from '../main';

export const SECRET = 'swordfish';

/** A message.sent event, by default in a conversation of its own. */
export function sent(number: number, { business_id = 1, conversation_id = number + 1, text = 'Hi' } = {}): EventEnvelope {
  const message_id = `wamid.${business_id}.${number}`;
  return newEvent(MessageSent, {
    id: `message.sent:${message_id}`,
    at: '2026-01-02T03:04:05.678Z',
    business_id,
    key: `conversation:${conversation_id}`,
    data: { message_id, to: '919876543210', type: 'text', text, sent_by: 'api', conversation_id, business_id },
    facts: { intent_id: 'i', api_key_id: 1, template: null, repaired: false },
  });
}

type Delivery = ResponseOf<typeof ListDeliveries>['deliveries'][number];

export interface Dispatching {
  harness: Harness;
  /** Runs a dispatcher in this process. */
  run(env?: Record<string, string>): ReturnType<Harness['run']>;
  /** Creates a webhook; its secret is SECRET if `secret` is true. @returns its id */
  create(webhook: { url: string; business_id?: number; secret?: boolean }): Promise<number>;
  /** Inserts webhooks by SQL, without the checks of the service. @returns their ids */
  store(urls: string[], business_id?: number): Promise<number[]>;
  webhook(id: number, business_id?: number): Promise<WebhookRecord>;
  /** The delivery log, newest first. */
  log(webhook_id: number, business_id?: number): Promise<Delivery[]>;
  /** Counts deliveries by state. */
  states(): Promise<Record<string, number>>;
  /** Expires the claims of every worker, as if it had been suspended and another had taken over. */
  expireClaims(): Promise<unknown>;
  /** Waits until no delivery is open and `count` have ended. */
  ended(count: number, timeoutMs?: number): Promise<void>;
}

export async function startDispatching(env: Record<string, string> = {}): Promise<Dispatching> {
  const harness = await startHarness(service);
  // Receivers of a slow machine may need longer than the default of ten seconds.
  Object.assign(harness.env, { WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8', WEBHOOK_ANSWER_WITHIN_MS: '60000', ...env });
  const states = async () => {
    const rows = await harness.db.query<{ state: string; n: number }>(
      'SELECT state, count(*)::integer AS n FROM dispatch.deliveries GROUP BY state',
    );
    return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
  };
  return {
    harness,
    states,
    run: (more) => harness.run(service, more),
    create: async ({ url, business_id = 1, secret = false }) => {
      const secret_sealed = secret ? harness.sealer.seal(SECRET, `webhook.secret:${business_id}`) : null;
      return (await harness.rpc.call(CreateWebhook, { business_id, name: 'w', url, events: ['message.sent'], secret_sealed })).id;
    },
    store: async (urls, business_id = 1) => {
      const rows = await harness.db.query<{ id: string }>(
        `INSERT INTO dispatch.webhooks (business_id, name, url, events) SELECT $1, 'w', url, '{message.sent}' FROM unnest($2::text[]) AS url RETURNING id`,
        [business_id, urls],
      );
      return rows.map(({ id }) => Number(id));
    },
    webhook: async (id, business_id = 1) => {
      const { webhooks } = await harness.rpc.call(ListWebhooks, { business_id });
      return webhooks.find((webhook) => webhook.id === id) as WebhookRecord;
    },
    log: async (webhook_id, business_id = 1) =>
      (await harness.rpc.call(ListDeliveries, { business_id, webhook_id, limit: 100, cursor: null, state: null })).deliveries,
    expireClaims: () =>
      harness.db.query(`WITH expired AS (UPDATE dispatch.workers SET alive_until = clock_timestamp())
        UPDATE dispatch.lanes SET worker = 'dead' WHERE worker IS NOT NULL`),
    ended: async (count, timeoutMs = 60_000) => {
      await eventually(
        async () => {
          const { pending = 0, running = 0, ...others } = await states();
          return pending + running === 0 && Object.values(others).reduce((sum, n) => sum + n, 0) === count;
        },
        { timeoutMs },
      );
    },
  };
}
