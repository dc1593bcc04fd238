import { PlatformPreference } from '@mgw/contracts';
import { newEvent } from '@mgw/events';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

describe('kinds of messages', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const stored = async () => {
    const tables = ['intents', 'messages', 'idempotency_keys', 'outbox'];
    const rows = tables.map((table) => `SELECT t::text AS row FROM send.${table} t`).join(' UNION ALL ');
    return (await sending.harness.db.query<{ row: string }>(rows)).map(({ row }) => row).join('\n');
  };
  const lastCall = () => sending.platform.calls().at(-1) as unknown as Record<string, unknown>;

  it('spec §4.6: media needs an open window and sends the fields of its type', async () => {
    expect(await sending.media()).toMatchObject({ error_code: 'WINDOW_CLOSED' });
    await sending.harness.publish(inboundEvent({ sent_at: new Date().toISOString() }));
    await eventually(async () => (await sending.harness.published('message.received')).length === 1);
    for (const [type, filename, expected] of [
      ['image', 'x.png', { link: 'https://example.com/a.png', caption: 'Look' }],
      ['video', null, { link: 'https://example.com/a.png', caption: 'Look' }],
      ['audio', null, { link: 'https://example.com/a.png' }],
      ['document', 'x.pdf', { link: 'https://example.com/a.png', caption: 'Look', filename: 'x.pdf' }],
    ] as const) {
      const caption = type === 'audio' ? null : 'Look';
      expect(await sending.media({ media_type: type, caption, filename })).toMatchObject({ replayed: false });
      expect(lastCall()).toMatchObject({ type, [type]: expected });
      expect(lastCall()[type]).toEqual(expected);
    }
    const sent = await eventually(async () => {
      const events = await sending.harness.published('message.sent');
      return events.length === 4 && events;
    });
    expect(sent.map(({ data }) => [(data as { type: string }).type, (data as { text: string }).text])).toEqual([
      ['image', 'Look'],
      ['video', 'Look'],
      ['audio', ''],
      ['document', 'Look'],
    ]);
  });

  it('decision 18: refuses MARKETING templates, and no others, to people who stopped marketing; the newest statement counts', async () => {
    const preference = (value: string, second: number) => {
      const said_at = `2026-01-02T03:04:0${second}.000Z`;
      const from = { phone: '919876543210', user_id: null, name: '' };
      const data = { phone_number_id: '700', from, category: 'marketing_messages', value, said_at };
      return newEvent(PlatformPreference, { id: `p${second}${value}`, at: said_at, business_id: 1, key: 'p', data });
    };
    const offer = () => sending.template({}, { name: 'offer', params: ['x'] });
    expect(await offer()).toMatchObject({ replayed: false });
    await sending.harness.publish(preference('stop', 2), preference('resume', 1));
    const refusal = await eventually(async () => {
      const response = await offer();
      return 'error_code' in response && response;
    });
    expect(refusal).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED', extras: { suppression_state: 'opted_out_marketing' } });
    expect(await sending.template()).toMatchObject({ replayed: false });
    await sending.harness.publish(preference('resume', 3));
    await eventually(async () => 'message_id' in (await offer()));
  });

  it('spec §4.7, decision 17: puts the code into body and button of an AUTHENTICATION template, into the body of a UTILITY one', async () => {
    const sent = await sending.otp();
    expect(sent).toMatchObject({ otp: expect.stringMatching(/^\d{6}$/) as string });
    const text = [{ type: 'text', text: (sent as { otp: string }).otp }];
    expect(lastCall()['template']).toEqual({
      name: 'login_code',
      language: { code: 'en' },
      components: [
        { type: 'body', parameters: text },
        { type: 'button', sub_type: 'url', index: '0', parameters: text },
      ],
    });
    expect(await sending.otp({}, { template_name: 'otp_plain', otp: 'AB-12' })).toMatchObject({ otp: 'AB-12' });
    expect(lastCall()['template']).toMatchObject({ components: [{ type: 'body', parameters: [{ text: 'AB-12' }] }] });
    expect(await sending.otp({}, { template_name: 'order_update' })).toMatchObject({ error_code: 'TEMPLATE_PARAMS_MISMATCH' });
  });

  it('spec §4.7, decision 18: send-otp refuses MARKETING templates, because OTPs may reach people who opted out', async () => {
    const calls = sending.platform.calls().length;
    expect(await sending.otp({}, { template_name: 'offer', otp: '123456' })).toMatchObject({
      error_code: 'VALIDATION_FAILED',
      status: 400,
      message: expect.stringContaining('"offer"') as string,
      extras: { details: [{ field: 'template_name' }] },
    });
    expect(sending.platform.calls()).toHaveLength(calls);
  });

  it('decisions 17, 24: a replay returns the same code, which is stored sealed and published masked', async () => {
    const idempotency = { key: 'otp', fingerprint: 'f' };
    const first = (await sending.otp({ idempotency })) as { otp: string; message_id: string };
    expect(await sending.otp({ idempotency })).toEqual({ ...first, replayed: true });
    const event = await eventually(async () =>
      (await sending.harness.published('message.sent')).find(
        ({ data }) => (data as { message_id: string }).message_id === first.message_id,
      ),
    );
    expect(event.data).toMatchObject({ type: 'otp', text: '*••••••* is your code.' });
    expect(await stored()).not.toMatch(new RegExp(`(?<![0-9a-f-])${first.otp}(?![0-9a-f-])`));
  });

  it('guarantees §9: stores nothing with an Idempotency-Key from which its code could be guessed', async () => {
    const idempotency = { key: 'own code', fingerprint: 'fingerprint of a request with a code' };
    const first = await sending.otp({ idempotency });
    expect(await stored()).not.toContain(idempotency.fingerprint);
    expect(await sending.otp({ idempotency })).toEqual({ ...first, replayed: true });
    expect(await sending.otp({ idempotency: { ...idempotency, fingerprint: 'fingerprint of another request' } })).toMatchObject({
      status: 422,
    });
  });

  it('decision 17, guarantees §9: publishes and stores a code masked that send-template sends in an AUTHENTICATION template', async () => {
    const sent = (await sending.template({}, { name: 'login_code', params: ['WXYZ-8841'] })) as { message_id: string };
    expect(lastCall()['template']).toMatchObject({ components: [{ parameters: [{ text: 'WXYZ-8841' }] }, { sub_type: 'url' }] });
    const event = await eventually(async () =>
      (await sending.harness.published('message.sent')).find(({ data }) => (data as { message_id: string }).message_id === sent.message_id),
    );
    expect(event.data).toMatchObject({ type: 'template', text: '*••••••* is your code.' });
    expect(await stored()).not.toContain('WXYZ-8841');
  });
});
