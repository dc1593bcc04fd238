import { GatewayError, PauseBroadcast, SendTemplate, type EventEnvelope } from '@mgw/contracts';
import { statusEvent, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts, service } from '../../test/broadcasts.fixture';

const NEIGHBOUR = 2;

/** What happens to one message: the send's own answer, which may come late, and what the platform says of it. */
type Step = 'answer' | 'delivered' | 'failed' | 'read' | 'played' | `neighbour ${'failed' | 'read'}`;
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
  let broadcasts: Broadcasts;
  let harness: Harness;
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    ({ harness } = broadcasts);
  });
  afterEach(() => harness.close());

  const messageOf = (i: number) => `wamid.${i}`;
  const status = (i: number, step: Step): EventEnvelope => {
    const word = step.replace('neighbour ', '');
    const error = word === 'failed' ? { code: 131026, text: 'Undeliverable' } : null;
    return statusEvent(messageOf(i), word, { error }, step === word ? 1 : NEIGHBOUR);
  };
  /** Tells events and waits until the service has handled all of them. */
  const tell = async (...events: EventEnvelope[]) => {
    await harness.tell(...events);
    const manager = await harness.nc.jetstreamManager();
    await eventually(async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info('PLATFORM', 'broadcast-statuses');
      return num_pending + num_ack_pending === 0;
    });
  };

  /** Runs a broadcast with a recipient for each order, in which what happens to its message happens. @returns the broadcast's id */
  const play = async (orders: Step[][], begun: (id: number) => Promise<unknown> = () => Promise.resolve()) => {
    const answers = new Map<string, () => void>();
    harness.answer(SendTemplate, async ({ to, sender }) => {
      if (sender.business_id === 1) await new Promise<void>((answer) => answers.set(to, answer));
      return { message_id: messageOf(orders.findIndex((_, i) => broadcasts.phoneOf(i) === to)), phone: to, replayed: false };
    });
    const id = await broadcasts.create(orders.length);
    await eventually(() => answers.size === orders.length);
    await begun(id);
    for (let step = 0; step < 4; step++) {
      const now = orders.flatMap((order, i) => order.slice(step, step + 1).map((word) => ({ i, word })));
      const answered = now.filter(({ word }) => word === 'answer');
      for (const { i } of answered) answers.get(broadcasts.phoneOf(i))?.();
      await eventually(async () => {
        const known = await broadcasts.recipients(id);
        return answered.every(({ i }) => known[i]?.message_id === messageOf(i));
      });
      await tell(...now.filter(({ word }) => word !== 'answer').map(({ i, word }) => status(i, word)));
    }
    return id;
  };

  it('decision 26: whatever the order, read wins over failed, and failed over delivered; the counts say the same', async () => {
    await harness.run(service);
    const id = await play(ORDERS);
    const states = await broadcasts.recipients(id);
    expect(ORDERS.map((order, i) => [order.join(), states[i]?.state, states[i]?.reason])).toEqual(
      ORDERS.map((order) =>
        order.includes('read') || order.includes('played')
          ? [order.join(), 'sent', null]
          : [order.join(), 'failed', '131026: Undeliverable'],
      ),
    );
    const { broadcast, failures } = await broadcasts.show(id);
    expect(broadcast).toMatchObject({ sent: 8, failed: 3, pending: 0 });
    expect(failures).toEqual([{ reason: '131026: Undeliverable', count: 3 }]);
  });

  it('decision 26: also of messages that were under way when their broadcast was paused', async () => {
    await harness.run(service);
    const orders: Step[][] = [
      ['read', 'answer', 'failed'],
      ['failed', 'answer'],
    ];
    const id = await play(orders, (id) => harness.rpc.call(PauseBroadcast, { business_id: 1, id }));
    expect((await broadcasts.recipients(id)).map(({ state }) => state)).toEqual(['sent', 'failed']);
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ status: 'paused', sent: 1, failed: 1, pending: 0 });
  });

  it('platform §4.3: of the messages of a business only its own account speaks, also when another one names or has the same ids', async () => {
    await harness.run(service);
    const orders: Step[][] = [
      ['neighbour failed', 'answer'],
      ['answer', 'neighbour failed'],
      ['failed', 'neighbour read', 'answer'],
      ['neighbour read', 'failed', 'answer'],
      ['answer', 'failed', 'neighbour read'],
    ];
    const theirs = await broadcasts.create(orders.length, { business_id: NEIGHBOUR });
    const id = await play(orders);
    expect((await broadcasts.recipients(id)).map(({ state }) => state)).toEqual(['sent', 'sent', 'failed', 'failed', 'failed']);
    expect((await broadcasts.recipients(theirs, NEIGHBOUR)).map(({ state }) => state)).toEqual([
      'failed',
      'failed',
      'sent',
      'sent',
      'sent',
    ]);
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 2, failed: 3, pending: 0 });
    expect((await broadcasts.show(theirs, NEIGHBOUR)).broadcast).toMatchObject({ sent: 3, failed: 2, pending: 0 });
  });

  it('a refused recipient stays failed whatever is read elsewhere; what is read of messages of nobody here is not kept', async () => {
    harness.answer(SendTemplate, () => {
      throw new GatewayError('PLATFORM_REFUSED', 'No.');
    });
    await harness.run(service);
    const id = await broadcasts.create(1);
    await eventually(async () => (await broadcasts.show(id)).broadcast.status === 'completed');
    const elsewhere = statusEvent('wamid.elsewhere', 'read', {}, NEIGHBOUR);
    await tell(elsewhere, status(0, 'read'));
    expect((await broadcasts.show(id)).broadcast).toMatchObject({ sent: 0, failed: 1 });
    const kept = await harness.db.query<{ message_id: string }>('SELECT message_id FROM broadcast.reports');
    expect(kept.map(({ message_id }) => message_id)).not.toContain('wamid.elsewhere');
  });
});
