import {
  ImportSuppressions,
  LiftSuppression,
  PlatformPreference,
  SetSuppression,
  type DataOf,
  type SuppressionChanged,
} from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

/** Business 2 wants no event. */
const [WANTING, OTHER] = [1, 2];
const PHONE = '919876543210';

describe('decision 365: suppression.changed', () => {
  let sending: Sending;
  let made = 0;
  beforeAll(async () => {
    sending = await startSending({ wanted: (id) => (id === WANTING ? ['suppression.changed'] : ['message.received']) });
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const rpc: Sending['harness']['rpc']['call'] = (operation, request) => sending.harness.rpc.call(operation, request);
  const changes = async (phone = PHONE) =>
    (await sending.harness.published('suppression.changed'))
      .map(({ data }) => data as DataOf<typeof SuppressionChanged>)
      .filter((data) => data.phone === phone)
      .map(({ previous_state, state, source }) => [previous_state, state, source]);
  const write = async (text: string, business_id = WANTING) => {
    const message_id = `wamid.${(made += 1)}`;
    await sending.harness.publish(inboundEvent({ message_id, text, sent_at: new Date().toISOString() }, business_id));
    await eventually(async () =>
      (await sending.harness.published('message.received')).some(({ data }) => (data as { message_id: string }).message_id === message_id),
    );
  };
  const becomes = (expected: unknown[], phone?: string) =>
    eventually(async () => JSON.stringify(await changes(phone)) === JSON.stringify(expected));

  it('reports each change of the strictest suppression once, of every origin, after the message that caused it', async () => {
    await write('STOP');
    await write('stop');
    await becomes([[null, 'opted_out', 'person']]);
    await rpc(SetSuppression, { business_id: WANTING, phone: PHONE, state: 'blocked', reason: 'Asked us.', source: 'api' });
    await rpc(SetSuppression, { business_id: WANTING, phone: PHONE, state: 'blocked', reason: 'Asked us.' });
    await write('START');
    await rpc(LiftSuppression, { business_id: WANTING, phone: PHONE });
    const at = new Date(Date.now() + 1_000).toISOString();
    const data = { phone_number_id: '700', category: 'marketing_messages', value: 'stop', said_at: at };
    const from = { phone: PHONE, user_id: null, name: '' };
    await sending.harness.publish(newEvent(PlatformPreference, { id: 'p', at, business_id: WANTING, key: 'p', data: { ...data, from } }));
    await becomes([
      [null, 'opted_out', 'person'],
      ['opted_out', 'blocked', 'api'],
      ['blocked', null, 'dashboard'],
      [null, 'opted_out_marketing', 'platform'],
    ]);
    const [event] = await sending.harness.published('suppression.changed');
    const [{ key } = { key: '' }] = await sending.harness.published('message.received');
    expect(event).toMatchObject({ business_id: WANTING, key });
    const order = await sending.harness.db.query<{ subject: string }>(
      'SELECT subject FROM send.outbox WHERE ordering_key = $1 ORDER BY seq',
      [key],
    );
    expect(order.slice(0, 3).map(({ subject }) => subject)).toEqual([
      'public.conversation.created',
      'public.message.received',
      'public.suppression.changed',
    ]);
  });

  it('reports an import for each person whom it changes', async () => {
    const rows = ['919876500001', '919876500002'].map((phone) => ({ phone, state: 'opted_out' as const, reason: 'Letter', since: null }));
    for (let i = 0; i < 2; i++) await rpc(ImportSuppressions, { business_id: WANTING, rows });
    for (const { phone } of rows) await becomes([[null, 'opted_out', 'api']], phone);
  });

  it('concurrent changes make one chain of states', async () => {
    const phone = '919876500009';
    const set = (state: 'blocked' | 'opted_out', source: 'api' | 'dashboard') =>
      rpc(SetSuppression, { business_id: WANTING, phone, state, reason: null, source });
    await Promise.all([
      set('opted_out', 'dashboard'),
      set('blocked', 'api'),
      rpc(LiftSuppression, { business_id: WANTING, phone }).catch(() => null),
    ]);
    await rpc(LiftSuppression, { business_id: WANTING, phone }).catch(() => null);
    await eventually(async () => (await changes(phone)).at(-1)?.[1] === null);
    const seen = await changes(phone);
    for (const [i, [previous]] of seen.entries()) expect(previous).toBe(i === 0 ? null : seen[i - 1]?.[1]);
  });

  it('writes nothing for a business that does not want it', async () => {
    await write('STOP', OTHER);
    await rpc(SetSuppression, { business_id: OTHER, phone: PHONE, state: 'blocked', reason: null });
    expect(
      await sending.harness.db.query(`SELECT FROM send.outbox WHERE subject LIKE '%suppression%' AND body::jsonb ->> 'business_id' = '2'`),
    ).toEqual([]);
  });
});
