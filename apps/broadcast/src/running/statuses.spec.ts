import { GatewayError, MessageReceived, PauseBroadcast, SendTemplate, type EventEnvelope } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { statusEvent, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts } from '../../test/broadcasts.fixture';
import { service } from '../main';

const NEIGHBOUR = 2;
/** The reason in the words of the message log: the platform's text, and what to do. */
const UNDELIVERABLE = '131026: Undeliverable. The number may not be on WhatsApp, or its app is too old.';

/** An event of one message: the response to its send, which may come late, or a report of the platform. */
type Step = 'response' | 'delivered' | 'failed' | 'read' | 'played' | `neighbour ${'failed' | 'read'}`;
const ORDERS: Step[][] = [
  ['response', 'failed', 'read'],
  ['response', 'read', 'failed'],
  ['failed', 'response', 'read'],
  ['failed', 'read', 'response'],
  ['read', 'response', 'failed'],
  ['read', 'failed', 'response'],
  ['response', 'failed', 'played'],
  ['response', 'read', 'failed', 'failed'],
  ['response', 'failed', 'delivered'],
  ['failed', 'response', 'delivered'],
  ['response', 'delivered', 'failed'],
  ['delivered', 'response', 'failed'],
  ['delivered', 'failed', 'response'],
  ['failed', 'delivered', 'response'],
  ['response', 'failed'],
  ['response', 'delivered'],
  ['delivered', 'response'],
];

describe('platform reports on the messages of a broadcast', () => {
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
  /** Publishes events and waits until the service has handled them. */
  const publish = async (...events: EventEnvelope[]) => {
    await harness.publish(...events);
    const manager = await harness.nc.jetstreamManager();
    await eventually(async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info('PLATFORM', 'broadcast-statuses');
      return num_pending + num_ack_pending === 0;
    });
  };

  /** Runs a broadcast with one recipient per order of events. @returns the broadcast's id */
  const play = async (orders: Step[][], onStart: (id: number) => Promise<unknown> = () => Promise.resolve()) => {
    const responses = new Map<string, () => void>();
    harness.respond(SendTemplate, async ({ to, sender }) => {
      if (sender.business_id === 1) await new Promise<void>((respond) => responses.set(to, respond));
      return { message_id: messageOf(orders.findIndex((_, i) => broadcasts.phoneOf(i) === to)), phone: to, replayed: false };
    });
    const id = await broadcasts.create(orders.length);
    await eventually(() => responses.size === orders.length);
    await onStart(id);
    for (let step = 0; step < 4; step++) {
      const now = orders.flatMap((order, i) => order.slice(step, step + 1).map((word) => ({ i, word })));
      const responded = now.filter(({ word }) => word === 'response');
      for (const { i } of responded) responses.get(broadcasts.phoneOf(i))?.();
      await eventually(async () => {
        const known = await broadcasts.recipients(id);
        return responded.every(({ i }) => known[i]?.message_id === messageOf(i));
      });
      await publish(...now.filter(({ word }) => word !== 'response').map(({ i, word }) => status(i, word)));
    }
    return id;
  };

  it('decision 26: in any order read wins over failed and failed over delivered, in states and counts', async () => {
    await harness.run(service);
    const id = await play(ORDERS);
    const states = await broadcasts.recipients(id);
    expect(ORDERS.map((order, i) => [order.join(), states[i]?.state, states[i]?.delivery, states[i]?.reason])).toEqual(
      ORDERS.map((order) => {
        if (order.includes('read') || order.includes('played')) return [order.join(), 'sent', 'read', null];
        if (order.includes('failed')) return [order.join(), 'failed', order.includes('delivered') ? 'delivered' : null, UNDELIVERABLE];
        return [order.join(), 'sent', 'delivered', null];
      }),
    );
    const { broadcast, failures, ...funnel } = await broadcasts.get(id);
    expect(broadcast).toMatchObject({ sent: 10, failed: 7, pending: 0 });
    // Decision 451: a retry writes only to those who never got the message.
    expect(funnel).toEqual({ delivered: 10, read: 8, replied: 0, retryable: 1, waiting: 0, sending: 0 });
    expect(failures).toEqual([{ reason: UNDELIVERABLE, count: 7 }]);
    const read = await broadcasts.recipients(id, 1, { state: 'read', phone: '5551000' });
    expect(read.map(({ phone }) => phone)).toEqual([broadcasts.phoneOf(0)]);
    expect(await broadcasts.recipients(id, 1, { reason: UNDELIVERABLE })).toHaveLength(7);
  });

  it('decision 450: counts the first reply within a day, by number or by quote, and neither a reaction nor a neighbour’s message', async () => {
    await harness.run(service);
    const id = await play(Array.from({ length: 5 }, () => ['response'] as Step[]));
    const reply = (i: number, { type = 'text', business_id = 1, days = 0, quotes = null as string | null, from = broadcasts.phoneOf(i) }) =>
      newEvent(MessageReceived, {
        id: `message.received:${i}:${type}`,
        at: new Date(Date.now() + days * 86_400_000 + 1_000).toISOString(),
        business_id,
        key: 'person:1',
        data: {
          ...{ message_id: `wamid.in.${i}`, from, from_name: '', type, text: 'Yes', conversation_id: 1, business_id },
          ...(quotes !== null && { context: { message_id: quotes } }),
        },
      });
    await harness.publish(
      reply(0, {}),
      reply(1, { type: 'reaction' }),
      reply(2, { business_id: NEIGHBOUR }),
      reply(3, { days: 2 }),
      reply(4, { from: '5511999999999', quotes: messageOf(4) }),
    );
    await eventually(async () => (await broadcasts.get(id)).replied === 2);
    const replied = await broadcasts.recipients(id, 1, { state: 'replied' });
    expect(replied.map(({ phone }) => phone)).toEqual([broadcasts.phoneOf(0), broadcasts.phoneOf(4)]);
  });

  it('decision 26: applies reports on messages that were in flight when their broadcast was paused', async () => {
    await harness.run(service);
    const orders: Step[][] = [
      ['read', 'response', 'failed'],
      ['failed', 'response'],
    ];
    const id = await play(orders, (id) => harness.rpc.call(PauseBroadcast, { business_id: 1, id }));
    expect((await broadcasts.recipients(id)).map(({ state }) => state)).toEqual(['sent', 'failed']);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ status: 'paused', sent: 1, failed: 1, pending: 0 });
  });

  it("platform §4.3: applies reports of the business's own account only, even when another account has the same ids", async () => {
    await harness.run(service);
    const orders: Step[][] = [
      ['neighbour failed', 'response'],
      ['response', 'neighbour failed'],
      ['failed', 'neighbour read', 'response'],
      ['neighbour read', 'failed', 'response'],
      ['response', 'failed', 'neighbour read'],
    ];
    let theirs = 0;
    const id = await play(orders, async () => {
      theirs = await broadcasts.create(orders.length, { business_id: NEIGHBOUR });
      await eventually(async () => (await broadcasts.get(theirs, NEIGHBOUR)).broadcast.pending === 0);
    });
    expect((await broadcasts.recipients(id)).map(({ state }) => state)).toEqual(['sent', 'sent', 'failed', 'failed', 'failed']);
    expect((await broadcasts.recipients(theirs, NEIGHBOUR)).map(({ state }) => state)).toEqual([
      'failed',
      'failed',
      'sent',
      'sent',
      'sent',
    ]);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 3, pending: 0 });
    expect((await broadcasts.get(theirs, NEIGHBOUR)).broadcast).toMatchObject({ sent: 3, failed: 2, pending: 0 });
  });

  it('keeps a refused recipient failed, and stores no read of a message that no broadcast sent', async () => {
    harness.respond(SendTemplate, () => {
      throw new GatewayError('PLATFORM_REFUSED', 'No.');
    });
    await harness.run(service);
    const id = await broadcasts.create(1);
    await eventually(async () => (await broadcasts.get(id)).broadcast.status === 'completed');
    const elsewhere = statusEvent('wamid.elsewhere', 'read', {}, NEIGHBOUR);
    await publish(elsewhere, status(0, 'read'));
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 0, failed: 1 });
    const kept = await harness.db.query<{ message_id: string }>('SELECT message_id FROM broadcast.reports');
    expect(kept.map(({ message_id }) => message_id)).not.toContain('wamid.elsewhere');
  });
});
