import { ConnectionChanged, FindSend, ListConversations, TemplatesChanged } from '@mgw/contracts';
import { inboundEvent, statusEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from './send.fixture';

const NOW = () => new Date().toISOString();

describe('the way of a message (guarantees §1)', () => {
  let sending: Sending;
  beforeEach(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterEach(() => sending.harness.close());

  it('S1, S3, S7: an accepted template has its intent, its record and each event once', async () => {
    const sent = await sending.template();
    expect(sent).toEqual({ message_id: 'wamid.P1', phone: '919876543210', replayed: false });
    const [intent] = await sending.harness.db.query<{ id: string; state: string }>('SELECT id, state FROM send.intents');
    expect(sending.platform.calls()).toEqual([expect.objectContaining({ to: '+919876543210', biz_opaque_callback_data: intent?.id })]);
    expect(intent?.state).toBe('accepted');
    const events = await eventually(async () => {
      const [told] = await sending.harness.told('message.sent');
      return told;
    });
    expect(events.data).toMatchObject({ message_id: 'wamid.P1', text: 'Hello Asha, order 7.', type: 'template', sent_by: 'api' });
    expect(await sending.harness.told('message.sent')).toHaveLength(1);
  });

  it('decision 43: a wrong count of parameters is refused before a call is spent', async () => {
    expect(await sending.template({}, { params: ['one'] })).toMatchObject({
      error_code: 'TEMPLATE_PARAMS_MISMATCH',
      extras: { component: 'body', expected: 2, given: 1 },
    });
    expect(sending.platform.calls()).toHaveLength(0);
    expect(await sending.used()).toBe(0);
  });

  it('guarantees §10, N1: values that are longer together than WhatsApp takes are refused before a call is spent', async () => {
    expect(await sending.template({}, { params: ['x'.repeat(1_024), 'y'.repeat(1_024)] })).toMatchObject({ message_id: 'wamid.P1' });
    const params = Array.from({ length: 6 }, () => 'x'.repeat(1_024));
    expect(await sending.template({}, { name: 'long', params })).toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('4096 characters') as string,
    });
    expect(sending.platform.calls()).toHaveLength(1);
  });

  it('platform §1.4: a template with a GIF header is refused with that reason before a call is spent', async () => {
    expect(await sending.template({}, { name: 'moving', params: ['x'] })).toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('Template "moving" has a GIF header') as string,
      extras: { details: [{ field: 'template_name' }] },
    });
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('S5: a refusal gives back the cap and the Idempotency-Key', async () => {
    const idempotency = { key: 'k', fingerprint: 'f' };
    sending.platform.refuse(131026);
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'PLATFORM_REFUSED', extras: { platform_code: 131026 } });
    expect([await sending.used(), await sending.states()]).toEqual([0, ['refused']]);
    sending.platform.accept();
    expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
  });

  it('decision 14, platform §2: a template that only the platform misses is refused with the other languages it is approved in', async () => {
    sending.platform.refuse(132001, 404);
    expect(await sending.template()).toMatchObject({
      error_code: 'TEMPLATE_NOT_FOUND',
      extras: { platform_code: 132001, available_languages: ['en_US'] },
    });
  });

  it('S2, S5: an ambiguous answer is told as such, keeps the cap, and is never sent again', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const idempotency = { key: 'k', fingerprint: 'f' };
    const told = await sending.template({ idempotency });
    expect(told).toMatchObject({ error_code: 'OUTCOME_UNKNOWN', extras: { message_id: expect.stringMatching(/^gw_/) as string } });
    expect([await sending.used(), await sending.states(), sending.platform.calls().length]).toEqual([1, ['unknown'], 1]);
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'OUTCOME_UNKNOWN', status: 409 });
    expect(sending.platform.calls()).toHaveLength(1);
  });

  describe('S5, decision 23a: while an outcome cannot be recorded', () => {
    const idempotency = { key: 'k', fingerprint: 'f' };
    const keepBack = (state: string) =>
      sending.harness.db.query(`ALTER TABLE send.intents ADD CONSTRAINT kept_back CHECK (state <> '${state}') NOT VALID`);
    const letGo = () => sending.harness.db.query('ALTER TABLE send.intents DROP CONSTRAINT kept_back');

    it('a refusal is told as it is; cap and Idempotency-Key are given back as soon as it can be', async () => {
      sending.platform.refuse(131026);
      await keepBack('refused');
      expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'PLATFORM_REFUSED', extras: { platform_code: 131026 } });
      await letGo();
      await eventually(async () => (await sending.used()) === 0);
      expect(await sending.states()).toEqual(['refused']);
      sending.platform.accept();
      expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
    });

    it('an ambiguous answer is told as such, with the id to ask for', async () => {
      sending.platform.respond((_, response) => void response.destroy());
      await keepBack('unknown');
      expect(await sending.template()).toMatchObject({
        error_code: 'OUTCOME_UNKNOWN',
        extras: { message_id: expect.stringMatching(/^gw_/) as string },
      });
      await letGo();
      await eventually(async () => (await sending.states())[0] === 'unknown');
    });

    it('decision 24: a code that cannot be kept for a replay is not sent, and costs nothing', async () => {
      await sending.harness.db.query('ALTER TABLE send.idempotency_keys RENAME COLUMN otp_sealed TO away');
      expect(await sending.otp({ idempotency })).toMatchObject({ error_code: 'INTERNAL' });
      expect([sending.platform.calls().length, await sending.used(), await sending.states()]).toEqual([0, 0, ['refused']]);
      await sending.harness.db.query('ALTER TABLE send.idempotency_keys RENAME COLUMN away TO otp_sealed');
      expect(await sending.otp({ idempotency })).toMatchObject({ replayed: false });
    });
  });

  it('S4: the status webhook of a message whose answer was lost makes its record, once', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const told = (await sending.template()) as unknown as { extras: { message_id: string } };
    const intent = told.extras.message_id.slice(3);
    const callback = { callback_data: intent, recipient: '919876543210' };
    await sending.harness.tell(statusEvent('wamid.late', 'sent', callback), statusEvent('wamid.late', 'delivered', callback));
    const find = () => sending.harness.rpc.call(FindSend, { business_id: 1, message_id: told.extras.message_id });
    await eventually(async () => (await find()).send?.state === 'accepted');
    expect((await find()).send?.message_id).toBe('wamid.late');
    await eventually(async () => (await sending.harness.told('message.sent')).length === 1);
    expect(await sending.harness.told('message.sent')).toHaveLength(1);
  });

  it('S4: callback data of another business changes nothing', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const told = (await sending.template()) as unknown as { extras: { message_id: string } };
    await sending.harness.tell(statusEvent('wamid.x', 'sent', { callback_data: told.extras.message_id.slice(3) }, 2));
    await sending.harness.tell(inboundEvent({ message_id: 'wamid.marker' }));
    await eventually(async () => (await sending.harness.told('message.received')).length === 1);
    expect(await sending.states()).toEqual(['unknown']);
  });

  it('S6: nothing is sent when there is no time left to record it', async () => {
    expect(await sending.template({}, { deadlineAt: Date.now() + 1_000 })).toMatchObject({ error_code: 'OVERLOADED' });
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('spec §8, decision 20: the cap is exact over two replicas under 100 parallel sends', async () => {
    await sending.run();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => sending.template({ daily_limit: 37 }, { to: `9198765${String(i).padStart(5, '0')}` })),
    );
    const refused = answers.filter((answer) => 'error_code' in answer);
    expect(refused).toHaveLength(63);
    expect(refused[0]).toMatchObject({
      error_code: 'DAILY_LIMIT_REACHED',
      status: 429,
      extras: { daily_limit: 37, retry_after: 'midnight' },
    });
    expect([sending.platform.calls().length, await sending.used()]).toEqual([37, 37]);
  });

  it('decision 24: 50 identical requests at once over two replicas are one message', async () => {
    await sending.run();
    const idempotency = { key: 'same', fingerprint: 'f' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => sending.template({ idempotency })));
    expect(sending.platform.calls()).toHaveLength(1);
    for (const answer of answers) {
      if ('error_code' in answer) expect(answer.error_code).toBe('IDEMPOTENCY_IN_FLIGHT');
      else expect(answer.message_id).toBe('wamid.P1');
    }
    expect(await sending.template({ idempotency })).toMatchObject({ message_id: 'wamid.P1', replayed: true });
    expect(await sending.template({ idempotency: { key: 'same', fingerprint: 'other' } })).toMatchObject({ status: 422 });
    expect(await sending.used()).toBe(1);
  });

  it('spec §3.2, §4.5: text needs an open window; a customer message opens it, and STOP closes everything', async () => {
    expect(await sending.text()).toMatchObject({
      error_code: 'WINDOW_CLOSED',
      extras: { session_window: { open: false, last_inbound_at: null } },
    });
    await sending.harness.tell(inboundEvent({ message_id: 'wamid.a', sent_at: NOW() }));
    await eventually(async () => (await sending.harness.told('message.received')).length === 1);
    expect(await sending.text()).toMatchObject({ replayed: false });
    const created = await sending.harness.told('conversation.created');
    expect(created.map(({ data }) => data)).toEqual([expect.objectContaining({ customer_phone: '919876543210', first_message: 'Hi' })]);
    await sending.harness.tell(inboundEvent({ message_id: 'wamid.b', sent_at: NOW(), text: ' Stop ' }));
    await eventually(async () => (await sending.harness.told('message.received')).length === 2);
    expect(await sending.template()).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED', extras: { suppression_state: 'opted_out' } });
  });

  it('platform §4.4: a change of numbers that is told again after a later one does not undo it', async () => {
    const heard = (count: number) => eventually(async () => (await sending.harness.told('message.received')).length === count);
    const [a, b, c] = ['919876543210', '919876543211', '919876543212'] as const;
    const change = (from: string, to: string) =>
      inboundEvent({
        message_id: `wamid.${from}`,
        type: 'system',
        from: { phone: from, user_id: null, name: '' },
        raw: { system: { type: 'user_changed_number', wa_id: to } },
      });
    await sending.harness.tell(inboundEvent({ message_id: 'wamid.1' }), change(a, b), change(b, c), change(a, b));
    await sending.harness.tell(inboundEvent({ message_id: 'wamid.2', from: { phone: c, user_id: null, name: '' } }));
    await heard(2);
    const { conversations } = await sending.harness.rpc.call(ListConversations, { business_id: 1, limit: 10, cursor: null, search: null });
    expect(conversations.map(({ customer_phone }) => customer_phone)).toEqual([c]);
  });

  it('guarantees §8: a template service that hangs holds up no send for which answers are held, and the others say that nothing was sent', async () => {
    expect(await sending.template()).toMatchObject({ message_id: 'wamid.P1' });
    sending.hang();
    sending.harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    sending.harness.rpc.announce(TemplatesChanged, { business_id: 1 });
    expect(await Promise.all([sending.template(), sending.template({ business_id: 2 })])).toEqual([
      { message_id: 'wamid.P2', phone: '919876543210', replayed: false },
      expect.objectContaining({ error_code: 'OVERLOADED', message: expect.stringContaining('nothing was sent') as string }),
    ]);
  });

  it('platform §2: 190 is told as not connected, and reported', async () => {
    sending.platform.refuse(190, 401);
    expect(await sending.template()).toMatchObject({ status: 400, extras: { platform_code: 190 } });
    await eventually(() => sending.reported.includes(190));
  });
});
