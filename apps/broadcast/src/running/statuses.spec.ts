import {
  CreateBroadcast,
  FindTemplates,
  GatewayError,
  GetBroadcast,
  ListRecipients,
  SendTemplate,
  type EventEnvelope,
  type TemplateShape,
} from '@mgw/contracts';
import { startHarness, statusEvent, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { BroadcastConfig } from '../broadcast.config';
import { BroadcastModule } from '../broadcast.module';
import { migrations } from '../migrations/migrations';

const service = { name: 'broadcast', module: BroadcastModule, config: BroadcastConfig, schema: 'broadcast' } as never;
const TEMPLATE: TemplateShape = {
  id: 1,
  name: 'offer',
  language: 'en',
  category: 'MARKETING',
  content: 'Hello.',
  body_variables: [],
  named: false,
  header_format: null,
  header_text: null,
  header_variables: [],
  button_parameters: [],
};

/** What happens to one message: the send's own answer, which may come late, and what the platform says of it. */
type Step = 'answer' | 'delivered' | 'failed' | 'read' | 'played';
const ORDERS: Step[][] = [
  ['answer', 'failed', 'read'],
  ['answer', 'read', 'failed'],
  ['failed', 'answer', 'read'],
  ['failed', 'read', 'answer'],
  ['read', 'answer', 'failed'],
  ['read', 'failed', 'answer'],
  ['answer', 'failed', 'played'],
  ['answer', 'read', 'failed', 'failed'],
  ['answer', 'failed', 'delivered'],
  ['failed', 'answer', 'delivered'],
  ['answer', 'delivered', 'failed'],
];

describe('what the platform says of the messages of a broadcast', () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness({ schema: 'broadcast', migrations });
    harness.answer(FindTemplates, ({ names }) => ({ found: names.map(() => ({ template: TEMPLATE, available_languages: ['en'] })) }));
  });
  afterEach(() => harness.close());

  const create = async (recipients: number, business_id = 1) => {
    const rows = Array.from({ length: recipients }, (_, i) => ({ line: i + 1, phone: phoneOf(i), body_params: [], header_params: [] }));
    const draft = { business_id, template_name: 'offer', language: 'en', recipients: rows };
    return (await harness.rpc.call(CreateBroadcast, { ...draft, name: 'b', scheduled_at: null, plan: 'Growth', timezone: 'UTC' })).id;
  };
  const phoneOf = (i: number) => `1201555${String(1_000 + i)}`;
  const messageOf = (i: number) => `wamid.${i}`;
  const status = (i: number, word: Step): EventEnvelope =>
    statusEvent(messageOf(i), word, { error: word === 'failed' ? { code: 131026, text: 'Undeliverable' } : null });
  const show = (id: number) => harness.rpc.call(GetBroadcast, { business_id: 1, id });
  const recipients = async (id: number) =>
    (await harness.rpc.call(ListRecipients, { business_id: 1, id, limit: 100, cursor: null, state: null })).recipients;
  /** Tells events and waits until the service has handled all of them. */
  const tell = async (...events: EventEnvelope[]) => {
    await harness.tell(...events);
    const manager = await harness.nc.jetstreamManager();
    await eventually(async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info('PLATFORM', 'broadcast-statuses');
      return num_pending + num_ack_pending === 0;
    });
  };

  it('decision 26: whatever the order, read wins over failed, and failed over delivered; the counts say the same', async () => {
    const answers = new Map<string, () => void>();
    harness.answer(SendTemplate, async ({ to }) => {
      await new Promise<void>((answer) => answers.set(to, answer));
      return { message_id: messageOf(ORDERS.findIndex((_, i) => phoneOf(i) === to)), phone: to, replayed: false };
    });
    await harness.run(service);
    const id = await create(ORDERS.length);
    await eventually(() => answers.size === ORDERS.length);
    for (let step = 0; step < 4; step++) {
      const now = ORDERS.flatMap((order, i) => order.slice(step, step + 1).map((word) => ({ i, word })));
      const answered = now.filter(({ word }) => word === 'answer');
      for (const { i } of answered) answers.get(phoneOf(i))?.();
      await eventually(async () => {
        const known = await recipients(id);
        return answered.every(({ i }) => known[i]?.message_id === messageOf(i));
      });
      await tell(...now.filter(({ word }) => word !== 'answer').map(({ i, word }) => status(i, word)));
    }
    const states = await recipients(id);
    expect(ORDERS.map((order, i) => [order.join(), states[i]?.state, states[i]?.reason])).toEqual(
      ORDERS.map((order) =>
        order.includes('read') || order.includes('played')
          ? [order.join(), 'sent', null]
          : [order.join(), 'failed', '131026: Undeliverable'],
      ),
    );
    const { broadcast, failures } = await show(id);
    expect(broadcast).toMatchObject({ sent: 8, failed: 3, pending: 0 });
    expect(failures).toEqual([{ reason: '131026: Undeliverable', count: 3 }]);
  });

  it('a refused recipient stays failed whatever is read elsewhere; what is read of messages of nobody here is not kept', async () => {
    harness.answer(SendTemplate, () => {
      throw new GatewayError('PLATFORM_REFUSED', 'No.');
    });
    await harness.run(service);
    const id = await create(1);
    await eventually(async () => (await show(id)).broadcast.status === 'completed');
    const elsewhere = statusEvent('wamid.elsewhere', 'read', {}, 2);
    await tell(elsewhere, status(0, 'read'));
    expect((await show(id)).broadcast).toMatchObject({ sent: 0, failed: 1 });
    const kept = await harness.db.query<{ message_id: string }>('SELECT message_id FROM broadcast.failures');
    expect(kept.map(({ message_id }) => message_id)).not.toContain('wamid.elsewhere');
  });
});
