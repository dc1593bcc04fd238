import { ConnectionChanged, FindSends, ListConversations, TemplatesChanged } from '@mgw/contracts';
import { inboundEvent, statusEvent } from '@mgw/harness';
import { startService } from '@mgw/service';
import { createLogger } from '@mgw/telemetry';
import { eventually, logLines } from '@mgw/testing';
import { service } from '../main';
import { numberOf, startSending, type Sending } from '../send.fixture';

const NOW = () => new Date().toISOString();

describe('sending a message (guarantees §1)', () => {
  let sending: Sending;
  beforeEach(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterEach(() => sending.harness.close());

  it('S1, S3, S7: stores intent, message and event of an accepted template once', async () => {
    const sent = await sending.template();
    expect(sent).toEqual({ message_id: 'wamid.P1', phone: '919876543210', replayed: false });
    const [intent] = await sending.harness.db.query<{ id: string; state: string }>('SELECT id, state FROM send.intents');
    expect(sending.platform.calls()).toEqual([expect.objectContaining({ to: '+919876543210', biz_opaque_callback_data: intent?.id })]);
    expect(intent?.state).toBe('accepted');
    const event = await eventually(async () => {
      const [published] = await sending.harness.published('message.sent');
      return published;
    });
    expect(event.data).toMatchObject({ message_id: 'wamid.P1', text: 'Hello Asha, order 7.', type: 'template', sent_by: 'api' });
    // For the message log (decision 442).
    expect(event.facts).toMatchObject({ language: 'en', request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string });
    expect(await sending.harness.published('message.sent')).toHaveLength(1);
  });

  it('decision 43: refuses a wrong number of parameters without a platform call', async () => {
    expect(await sending.template({}, { params: ['one'] })).toMatchObject({
      error_code: 'TEMPLATE_PARAMS_MISMATCH',
      message: 'Template "order_update" needs 2 body parameters, but got 1.',
      extras: { component: 'body', expected: 2, given: 1 },
    });
    expect(sending.platform.calls()).toHaveLength(0);
    expect(await sending.used()).toBe(0);
  });

  it('guarantees §10, N1: refuses values that together exceed WhatsApp’s limit without a platform call', async () => {
    expect(await sending.template({}, { params: ['x'.repeat(1_024), 'y'.repeat(1_024)] })).toMatchObject({ message_id: 'wamid.P1' });
    const params = Array.from({ length: 6 }, () => 'x'.repeat(1_024));
    expect(await sending.template({}, { name: 'long', params })).toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('4096 characters') as string,
    });
    expect(sending.platform.calls()).toHaveLength(1);
  });

  it('platform §1.4: refuses a template with a GIF header and explains why, without a platform call', async () => {
    expect(await sending.template({}, { name: 'moving', params: ['x'] })).toMatchObject({
      error_code: 'VALIDATION_FAILED',
      message: expect.stringContaining('Template "moving" has a GIF header') as string,
      extras: { details: [{ field: 'template_name' }] },
    });
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('S5: a refusal releases cap and Idempotency-Key', async () => {
    const idempotency = { key: 'k', fingerprint: 'f' };
    sending.platform.refuse(131026);
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'PLATFORM_REFUSED', extras: { platform_code: 131026 } });
    expect([await sending.used(), await sending.states()]).toEqual([0, ['refused']]);
    sending.platform.accept();
    expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
  });

  it('decision 14, platform §2: lists the other approved languages when only the platform misses a template', async () => {
    sending.platform.refuse(132001, 404);
    expect(await sending.template()).toMatchObject({
      error_code: 'TEMPLATE_NOT_FOUND',
      extras: { platform_code: 132001, available_languages: ['en_US'] },
    });
  });

  it('suggests a similar template', async () => {
    const list = 'List the approved templates with GET /templates.';
    expect(await sending.template({}, { name: 'order_updates' })).toMatchObject({
      extras: { hint: `Did you mean "order_update"? ${list}` },
    });
    expect(await sending.template({}, { name: 'none' })).toMatchObject({ extras: { hint: list } });
  });

  it('S2, S5: an unclear response gives OUTCOME_UNKNOWN, keeps the cap, and is never retried', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const idempotency = { key: 'k', fingerprint: 'f' };
    const response = await sending.template({ idempotency });
    expect(response).toMatchObject({ error_code: 'OUTCOME_UNKNOWN', extras: { message_id: expect.stringMatching(/^gw_/) as string } });
    expect([await sending.used(), await sending.states(), sending.platform.calls().length]).toEqual([1, ['unknown'], 1]);
    const [event] = await eventually(async () => {
      const events = await sending.harness.published('message.not-sent');
      return events.length > 0 && events;
    });
    // The message log distinguishes it from a failure by this code (decision 23a).
    expect(event?.data).toMatchObject({ reason: expect.stringMatching(/^OUTCOME_UNKNOWN: .* may have been sent/) as string });
    expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'OUTCOME_UNKNOWN', status: 409 });
    expect(sending.platform.calls()).toHaveLength(1);
  });

  describe('S5, decision 23a: while recording an outcome fails', () => {
    const idempotency = { key: 'k', fingerprint: 'f' };
    const blockState = (state: string) =>
      sending.harness.db.query(`ALTER TABLE send.intents ADD CONSTRAINT block_state CHECK (state <> '${state}') NOT VALID`);
    const unblock = () => sending.harness.db.query('ALTER TABLE send.intents DROP CONSTRAINT block_state');

    it('returns a refusal at once, and releases cap and Idempotency-Key when recording works again', async () => {
      sending.platform.refuse(131026);
      await blockState('refused');
      expect(await sending.template({ idempotency })).toMatchObject({ error_code: 'PLATFORM_REFUSED', extras: { platform_code: 131026 } });
      await unblock();
      await eventually(async () => (await sending.used()) === 0);
      expect(await sending.states()).toEqual(['refused']);
      sending.platform.accept();
      expect(await sending.template({ idempotency })).toMatchObject({ replayed: false });
    });

    it('returns OUTCOME_UNKNOWN with the message id', async () => {
      sending.platform.respond((_, response) => void response.destroy());
      await blockState('unknown');
      expect(await sending.template()).toMatchObject({
        error_code: 'OUTCOME_UNKNOWN',
        extras: { message_id: expect.stringMatching(/^gw_/) as string },
      });
      await unblock();
      await eventually(async () => (await sending.states())[0] === 'unknown');
    });

    it('decision 24: sends no code that cannot be stored for a replay, and uses no cap', async () => {
      await sending.harness.db.query('ALTER TABLE send.idempotency_keys RENAME COLUMN otp_sealed TO away');
      expect(await sending.otp({ idempotency })).toMatchObject({ error_code: 'INTERNAL' });
      expect([sending.platform.calls().length, await sending.used(), await sending.states()]).toEqual([0, 0, ['refused']]);
      await sending.harness.db.query('ALTER TABLE send.idempotency_keys RENAME COLUMN away TO otp_sealed');
      expect(await sending.otp({ idempotency })).toMatchObject({ replayed: false });
    });
  });

  it('S4: a status callback records the acceptance of a message whose response was lost, once', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const response = (await sending.template()) as unknown as { extras: { message_id: string } };
    const intent = response.extras.message_id.slice(3);
    const callback = { callback_data: intent, recipient: '919876543210' };
    await sending.harness.publish(statusEvent('wamid.late', 'sent', callback), statusEvent('wamid.late', 'delivered', callback));
    const request = { business_id: 1, message_ids: [response.extras.message_id] };
    const find = async () => (await sending.harness.rpc.call(FindSends, request)).sends[0];
    await eventually(async () => (await find())?.state === 'accepted');
    expect((await find())?.message_id).toBe('wamid.late');
    await eventually(async () => (await sending.harness.published('message.sent')).length === 1);
    expect(await sending.harness.published('message.sent')).toHaveLength(1);
  });

  it('S4, decision 525: a status callback that overtakes the response keeps the message in its broadcast', async () => {
    sending.platform.hang(numberOf(1));
    const response = sending.template({ sent_by: 'broadcast', broadcast_id: 7 });
    const [call] = await eventually(() => sending.platform.hanging().length > 0 && sending.platform.calls());
    const callback = { callback_data: call?.biz_opaque_callback_data ?? null, recipient: '919876543210' };
    await sending.harness.publish(statusEvent('wamid.P1', 'delivered', callback));
    await eventually(async () => (await sending.states())[0] === 'accepted');
    sending.platform.release();
    expect(await response).toMatchObject({ message_id: 'wamid.P1' });
    const published = await eventually(async () => {
      const events = await sending.harness.published('message.sent');
      return events.length > 0 && events;
    });
    expect(published.map(({ facts }) => facts)).toMatchObject([{ broadcast_id: 7 }]);
  });

  it('S4, decision 707: a status from a clock that is ahead puts the message at the present', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const response = (await sending.template()) as unknown as { extras: { message_id: string } };
    const occurred_at = new Date(Date.now() + 86_400_000).toISOString();
    await sending.harness.publish(
      statusEvent('wamid.late', 'sent', { callback_data: response.extras.message_id.slice(3), recipient: '919876543210', occurred_at }),
    );
    const [event] = await eventually(async () => {
      const events = await sending.harness.published('message.sent');
      return events.length > 0 && events;
    });
    expect(Date.parse(event?.at ?? '')).toBeLessThanOrEqual(Date.now());
  });

  it('S4: callback data of another business changes nothing', async () => {
    sending.platform.respond((_, response) => void response.destroy());
    const response = (await sending.template()) as unknown as { extras: { message_id: string } };
    await sending.harness.publish(statusEvent('wamid.x', 'sent', { callback_data: response.extras.message_id.slice(3) }, 2));
    const { consumers } = await sending.harness.nc.jetstreamManager();
    await eventually(async () => {
      const { num_pending, num_ack_pending } = await consumers.info('PLATFORM', 'send-statuses');
      return num_pending + num_ack_pending === 0;
    });
    expect(await sending.states()).toEqual(['unknown']);
  });

  it('S6: sends nothing when no time is left to record the outcome', async () => {
    expect(await sending.template({}, { deadlineAt: Date.now() + 1_000 })).toMatchObject({ error_code: 'OVERLOADED' });
    expect(sending.platform.calls()).toHaveLength(0);
  });

  it('spec §8, decision 20: the cap is exact over two replicas under 100 parallel sends', async () => {
    await sending.run();
    const responses = await Promise.all(
      Array.from({ length: 100 }, (_, i) => sending.template({ daily_limit: 37 }, { to: `9198765${String(i).padStart(5, '0')}` })),
    );
    const refused = responses.filter((response) => 'error_code' in response);
    expect(refused).toHaveLength(63);
    expect(refused[0]).toMatchObject({
      error_code: 'DAILY_LIMIT_REACHED',
      status: 429,
      extras: { daily_limit: 37, retry_after: 'midnight' },
    });
    expect([sending.platform.calls().length, await sending.used()]).toEqual([37, 37]);
  });

  it('decision 24: 50 identical concurrent requests over two replicas send one message', async () => {
    await sending.run();
    const idempotency = { key: 'same', fingerprint: 'f' };
    const responses = await Promise.all(Array.from({ length: 50 }, () => sending.template({ idempotency })));
    expect(sending.platform.calls()).toHaveLength(1);
    for (const response of responses) {
      if ('error_code' in response)
        expect(response).toMatchObject({ error_code: 'IDEMPOTENCY_IN_FLIGHT', extras: { retry_after_seconds: 3 } });
      else expect(response.message_id).toBe('wamid.P1');
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
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.a', sent_at: NOW() }));
    await eventually(async () => (await sending.harness.published('message.received')).length === 1);
    expect(await sending.text()).toMatchObject({ replayed: false });
    const created = await sending.harness.published('conversation.created');
    expect(created.map(({ data }) => data)).toEqual([expect.objectContaining({ customer_phone: '919876543210', first_message: 'Hi' })]);
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.b', sent_at: NOW(), text: ' Stop ' }));
    await eventually(async () => (await sending.harness.published('message.received')).length === 2);
    expect(await sending.template()).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED', extras: { suppression_state: 'opted_out' } });
  });

  it('platform §4.4: a redelivered change of numbers does not undo a later one', async () => {
    const received = (count: number) => eventually(async () => (await sending.harness.published('message.received')).length === count);
    const [a, b, c] = ['919876543210', '919876543211', '919876543212'] as const;
    const change = (from: string, to: string) =>
      inboundEvent({
        message_id: `wamid.${from}`,
        type: 'system',
        from: { phone: from, user_id: null, name: '' },
        raw: { system: { type: 'user_changed_number', wa_id: to } },
      });
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.1' }), change(a, b), change(b, c), change(a, b));
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.2', from: { phone: c, user_id: null, name: '' } }));
    await received(2);
    const { conversations } = await sending.harness.rpc.call(ListConversations, { business_id: 1, limit: 10, cursor: null, search: null });
    expect(conversations.map(({ customer_phone }) => customer_phone)).toEqual([c]);
  });

  it('guarantees §8: a hanging template service blocks no send with cached data; others get an error that nothing was sent', async () => {
    expect(await sending.template()).toMatchObject({ message_id: 'wamid.P1' });
    sending.hang();
    sending.harness.rpc.announce(ConnectionChanged, { business_id: 1 });
    sending.harness.rpc.announce(TemplatesChanged, { business_id: 1 });
    expect(await Promise.all([sending.template(), sending.template({ business_id: 2 })])).toEqual([
      { message_id: 'wamid.P2', phone: '919876543210', replayed: false },
      expect.objectContaining({ error_code: 'OVERLOADED', message: expect.stringContaining('nothing was sent') as string }),
    ]);
  });
});

it('platform §2: error 190 becomes NOT_CONNECTED, is reported to the template service and logged with WhatsApp’s trace', async () => {
  const sending = await startSending();
  try {
    const logger = createLogger('send', 'info');
    const lines = logLines(logger);
    const replica = await startService(service, sending.harness.env, logger);
    sending.harness.onClose(() => replica.stop());
    sending.platform.refuse(190, 401);
    expect(await sending.template()).toMatchObject({ status: 400, extras: { platform_code: 190 } });
    await eventually(() => sending.reported.includes(190));
    const refused = lines().find(({ msg }) => msg === 'the platform refused a message');
    expect(refused).toMatchObject({ business_id: 1, platform_code: 190, platform_trace_id: 'AmGd' });
    // The logger's own field is the trace of the request.
    expect(refused).not.toHaveProperty('trace_id');
  } finally {
    await sending.harness.close();
  }
});
