import { CheckSend, SendText, type Sender, type SendContent } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

const PHONE = '919876543210';

describe('dry runs (decision 332)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const receive = async (text: string, sent_at: string) => {
    const before = (await sending.harness.published('message.received')).length;
    await sending.harness.publish(inboundEvent({ message_id: `wamid.${text}`, text, sent_at }, 1));
    await eventually(async () => (await sending.harness.published('message.received')).length > before);
  };
  const check = (content: SendContent, change: Partial<Sender> = {}, to: string | null = PHONE) =>
    sending.harness.rpc.call(CheckSend, { sender: sending.sender(change), to, content });
  const codes = ({ problems }: Awaited<ReturnType<typeof check>>) => problems.map(({ error_code }) => error_code);
  const text = (reply_to?: string): SendContent => ({ kind: 'text', message: { text: 'Hi', ...(reply_to && { reply_to }) } });
  const template = (name: string, body_params: string[], button_params: string[] = []): SendContent => ({
    kind: 'template',
    message: { template_name: name, language: 'en', body_params, header_params: [], button_params },
  });
  const stored = async () =>
    (
      await sending.harness.db.query(
        `SELECT (SELECT count(*) FROM send.intents) AS intents, (SELECT count(*) FROM send.idempotency_keys) AS keys,
           (SELECT count(*) FROM send.outbox) AS events, (SELECT sum(used) FROM send.daily_usage) AS used`,
      )
    )[0];

  it('finds every problem in the order of the checks, and stores, counts, publishes and calls nothing', async () => {
    await receive('STOP', '2026-01-02T03:04:05.000Z');
    await sending.template({ daily_limit: 1 }, { to: '12025550100' });
    const [before, calls] = [await stored(), sending.platform.calls().length];
    const idempotency = { key: 'k', fingerprint: 'f' };
    const checked = await check(text('wamid.none'), { daily_limit: 1, idempotency });
    expect(codes(checked)).toEqual(['VALIDATION_FAILED', 'RECIPIENT_SUPPRESSED', 'WINDOW_CLOSED', 'DAILY_LIMIT_REACHED']);
    expect(checked).toMatchObject({
      problems: [{ details: [{ field: 'reply_to' }] }, {}, {}, {}],
      text: 'Hi',
      session_window: { open: false, last_inbound_at: '2026-01-02T03:04:05.000Z' },
      suppression_state: 'opted_out',
      daily_remaining: 0,
    });
    const refused = await sending.free(SendText, { text: 'Hi' }, { daily_limit: 1 });
    expect(refused).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED', message: checked.problems[1]?.message });
    expect([await stored(), sending.platform.calls().length]).toEqual([before, calls]);
  });

  it('checks template and values, and passes where a send passes', async () => {
    const to = '12025550101';
    expect(await check(template('order_update', ['Asha', '7']), { daily_limit: 10 }, to)).toEqual({
      problems: [],
      text: 'Hello Asha, order 7.',
      session_window: { open: false, last_inbound_at: null },
      suppression_state: null,
      daily_remaining: 9,
    });
    expect(codes(await check(template('none', []), {}, to))).toEqual(['TEMPLATE_NOT_FOUND']);
    const wrong = await check(template('order_update', ['x'.repeat(3_000), 'y'.repeat(3_000), 'z'], ['z']), {}, to);
    expect(codes(wrong)).toEqual(['TEMPLATE_PARAMS_MISMATCH', 'TEMPLATE_PARAMS_MISMATCH', 'VALIDATION_FAILED']);
    expect(await check(template('moving', []), { daily_limit: null }, to)).toMatchObject({
      problems: [{ error_code: 'VALIDATION_FAILED', details: [{ field: 'template_name' }] }],
      daily_remaining: null,
    });
  });

  it('decision 17: shows no one-time password, and refuses a MARKETING template for one', async () => {
    const otp = (template_name: string): SendContent => ({ kind: 'otp', message: { template_name, language: 'en', otp: '123456' } });
    expect(await check(otp('login_code'), {}, '12025550101')).toMatchObject({ problems: [], text: '*••••••* is your code.' });
    expect(codes(await check(otp('offer'), {}, '12025550101'))).toEqual(['VALIDATION_FAILED']);
  });

  it('checks what it can without a valid phone or message', async () => {
    expect(codes(await check({ kind: 'text', message: null }))).toEqual(['RECIPIENT_SUPPRESSED', 'WINDOW_CLOSED']);
    const nobody = await check(text('wamid.none'), { daily_limit: 1 }, null);
    expect(nobody).toMatchObject({ text: 'Hi', session_window: null, suppression_state: null, daily_remaining: 0 });
    expect(codes(nobody)).toEqual(['DAILY_LIMIT_REACHED']);
    expect(codes(await check(template('none', []), {}, null))).toEqual(['TEMPLATE_NOT_FOUND']);
  });

  it('fails if a required service does not respond', async () => {
    sending.hang();
    await expect(check(template('another', []), { business_id: 7 })).rejects.toMatchObject({ error_code: 'OVERLOADED' });
  });
});
