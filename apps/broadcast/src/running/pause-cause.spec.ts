import { GatewayError, ResumeBroadcast, SendTemplate } from '@mgw/contracts';
import { statusEvent, type Harness } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { Broadcasts } from '../../test/broadcasts.fixture';
import { service } from '../main';

const RECIPIENTS = 30;
const refusal = (code: number) => new GatewayError('PLATFORM_REFUSED', `Refused with ${code}.`, { platform_code: code, hint: 'Mend it.' });

describe('decision 620: an error that any recipient would get', () => {
  let broadcasts: Broadcasts;
  let harness: Harness;
  /** Responds to sends until it is null. */
  let fault: (() => GatewayError) | null;
  /** Accepted messages by recipient. */
  let accepted: string[];
  beforeEach(async () => {
    broadcasts = await Broadcasts.start();
    ({ harness } = broadcasts);
    accepted = [];
    harness.respond(SendTemplate, ({ to }) => {
      // Two people get the message before the fault.
      if (fault && accepted.length >= 2) throw fault();
      accepted.push(to);
      return { message_id: `wamid.${to}`, phone: to, replayed: false };
    });
    await harness.run(service);
  });
  afterEach(() => harness.close());

  const becomes = (status: string, id: number) =>
    eventually(async () => (await broadcasts.get(id)).broadcast.status === status, { timeoutMs: 60_000 });
  const resume = (id: number) => harness.rpc.call(ResumeBroadcast, { business_id: 1, id });
  const settled = (id: number) =>
    eventually(async () => (await broadcasts.recipients(id)).every(({ state }) => state === 'sent' || state === 'pending'));

  it.each([
    ['an expired token', () => new GatewayError('NOT_CONNECTED', 'The token expired.', { hint: 'Mend it.' })],
    ['a deleted template', () => new GatewayError('TEMPLATE_NOT_FOUND', 'It is gone.', { hint: 'Mend it.' })],
    ['a paused template', () => refusal(132015)],
    ['a problem of payment', () => refusal(131042)],
    ['a restricted number', () => new GatewayError('PLATFORM_THROTTLED', 'Restricted.', { platform_code: 131048, hint: 'Mend it.' })],
  ])('%s pauses with its cause, fails nobody, and a resumption sends to each of the rest once', async (_, error) => {
    fault = error;
    const id = await broadcasts.create(RECIPIENTS);
    await becomes('paused', id);
    const { error_code, message } = error();
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ failed: 0, pause_cause: { error_code, message, hint: 'Mend it.' } });
    await settled(id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 0, pending: RECIPIENTS - 2 });
    // Resumed before it is solved, it pauses again.
    await resume(id);
    await becomes('paused', id);
    fault = null;
    await resume(id);
    await becomes('completed', id);
    const { broadcast } = await broadcasts.get(id);
    expect(broadcast).toMatchObject({ sent: RECIPIENTS, failed: 0, pause_cause: null });
    expect([accepted.length, new Set(accepted).size]).toEqual([RECIPIENTS, RECIPIENTS]);
  });

  it('a failure that concerns one recipient pauses nothing', async () => {
    fault = () => refusal(131026);
    const id = await broadcasts.create(4);
    await becomes('completed', id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 2, failed: 2, pause_cause: null });
  });

  it('pauses even when the platform reports it after it has accepted the message, and once for each resumption', async () => {
    fault = () => new GatewayError('OVERLOADED', 'Later.');
    const id = await broadcasts.create(5);
    await eventually(async () => (await broadcasts.get(id)).broadcast.sent === 2);
    const report = (phone: string) => statusEvent(`wamid.${phone}`, 'failed', { error: { code: 131042, text: 'Payment issue' } });
    await harness.publish(report(accepted[0] as string));
    await becomes('paused', id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({
      failed: 1,
      pause_cause: { message: expect.stringContaining('payment') as string, hint: expect.stringContaining('payment method') as string },
    });
    fault = null;
    await resume(id);
    await harness.publish(report(accepted[1] as string));
    await harness.db.query(`UPDATE broadcast.recipients SET due_at = now() WHERE state = 'pending'`);
    await harness.db.query('UPDATE broadcast.broadcasts SET idle_until = NULL');
    await becomes('completed', id);
    expect((await broadcasts.get(id)).broadcast).toMatchObject({ sent: 3, failed: 2, pending: 0 });
    expect(new Set(accepted).size).toBe(accepted.length);
  });
});
