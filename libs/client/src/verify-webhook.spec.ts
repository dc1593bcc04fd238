import { createHmac } from 'node:crypto';
import { EVENT_REFERENCE, PUBLIC_EVENTS } from '@mgw/contracts';
import { InvalidSignature, verifyWebhook, type WebhookEvent } from './verify-webhook';

/** The compiler proves that `event` decides the type of `data`, and that every event is here. */
function summary(event: WebhookEvent): string {
  switch (event.event) {
    case 'message.received':
      return `${event.data.from} wrote ${event.data.text ?? event.data.media_type}`;
    case 'message.sent':
      return `${event.data.sent_by} sent ${event.data.text} to ${event.data.to}`;
    case 'conversation.created':
      return `${event.data.customer_name} began with ${event.data.first_message}`;
    case 'broadcast.completed':
      return `${event.data.sent + event.data.failed} of ${event.data.total_recipients}`;
    case 'ai.replied':
      return `AI replied ${event.data.ai_response}`;
    case 'message.status':
      return `${event.data.previous_status} became ${event.data.status}${event.data.failure_reason ?? ''}`;
    case 'template.status':
      return `${event.data.template_name} became ${event.data.status}`;
    case 'suppression.changed':
      return `${event.data.phone} became ${event.data.state}`;
    case 'webhook.failing':
      return `${event.data.name} failed ${event.data.fail_count} times: ${event.data.reason}`;
    default:
      return event satisfies never;
  }
}

describe('spec §5.9: verifyWebhook', () => {
  it.each(PUBLIC_EVENTS)('reads a signed %s', (name) => {
    const body = JSON.stringify(EVENT_REFERENCE[name].example);
    const signature = createHmac('sha256', 'swordfish').update(body).digest('hex');
    const event = verifyWebhook({ secret: 'swordfish', signature, body });
    expect(event).toEqual(EVENT_REFERENCE[name].example);
    expect(summary(event)).not.toContain('undefined');
    expect(() => verifyWebhook({ secret: 'other', signature, body })).toThrow(InvalidSignature);
  });

  describe('with the headers of a delivery', () => {
    const body = JSON.stringify(EVENT_REFERENCE['message.sent'].example);
    const now = Math.floor(Date.now() / 1_000);
    const signed = (secret: string, time: number | string, id = 'message.sent:1') =>
      `v1,${createHmac('sha256', secret).update(`${id}.${time}.${body}`).digest('base64')}`;
    const headers = (time: number | string, ...signatures: string[]) => ({
      'webhook-id': 'message.sent:1',
      'webhook-timestamp': String(time),
      'webhook-signature': signatures.join(' '),
    });

    it('accepts either signature during a change of the secret, from Node.js and from Request', () => {
      const both = headers(now, signed('new', now), signed('old', now));
      for (const secret of ['new', 'old'])
        for (const given of [both, new Headers(both)])
          expect(verifyWebhook({ secret, headers: given, body: Buffer.from(body) })).toEqual(EVENT_REFERENCE['message.sent'].example);
    });

    it.each<[string, Record<string, string>]>([
      ['a recorded copy', headers(now - 600, signed('new', now - 600))],
      ['a delivery from the future', headers(now + 600, signed('new', now + 600))],
      ['another time than the signed one', headers(now, signed('new', now - 600))],
      ['another id than the signed one', headers(now, signed('new', now, 'message.sent:2'))],
      ['an odd time', headers('NaN', signed('new', 'NaN'))],
      ['no signature', { 'webhook-id': 'message.sent:1', 'webhook-timestamp': String(now) }],
      ['a signature of the body only', { 'x-service-signature': createHmac('sha256', 'new').update(body).digest('hex') }],
      ['no headers', {}],
    ])('refuses %s', (_, given) => {
      expect(() => verifyWebhook({ secret: 'new', headers: given, body })).toThrow(InvalidSignature);
    });
  });

  it('throws for an empty secret, with which anyone can sign, and never as a wrong signature', () => {
    const body = JSON.stringify(EVENT_REFERENCE['message.sent'].example);
    const time = String(Math.floor(Date.now() / 1_000));
    const forged = {
      'webhook-id': 'message.sent:1',
      'webhook-timestamp': time,
      'webhook-signature': `v1,${createHmac('sha256', '').update(`message.sent:1.${time}.${body}`).digest('base64')}`,
    };
    const signature = createHmac('sha256', '').update(body).digest('hex');
    for (const given of [{ headers: forged }, { signature }])
      for (const secret of ['', undefined as unknown as string])
        expect(() => verifyWebhook({ secret, ...given, body })).toThrow('verifyWebhook needs the secret');
    expect(() => verifyWebhook({ secret: '', signature, body })).not.toThrow(InvalidSignature);
  });

  it('gives data the type of its event', () => {
    const event = { event: 'ai.replied' } as WebhookEvent;
    // @ts-expect-error: `customer_phone` belongs to conversation.created.
    expect(event.event === 'ai.replied' && event.data?.customer_phone).toBeUndefined();
  });
});
