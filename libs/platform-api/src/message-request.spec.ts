import { templateMessage, textMessage } from './message-request';

describe('requests to the platform (platform §1)', () => {
  it('writes a text with the leading plus, link preview and our intent id (case g01)', () => {
    expect(textMessage('919000055501', 'Your stole ships today: https://kaveri.example/t/2291', 'intent-1')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+919000055501',
      type: 'text',
      text: { preview_url: true, body: 'Your stole ships today: https://kaveri.example/t/2291' },
      biz_opaque_callback_data: 'intent-1',
    });
  });

  it('names a business-scoped user id as recipient, never as to (platform §0.12)', () => {
    const request = textMessage('IN.7300048815526109342', 'hello', 'intent-1');
    expect(request.recipient).toBe('IN.7300048815526109342');
    expect(request).not.toHaveProperty('to');
  });

  it('writes a template with its components (case g02)', () => {
    const components = [{ type: 'body' as const, parameters: [{ type: 'text' as const, text: 'Devanshi' }] }];
    expect(templateMessage('919000055501', { name: 'dispatch_notice', language: 'en', components }, 'intent-2')).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+919000055501',
      type: 'template',
      template: { name: 'dispatch_notice', language: { code: 'en' }, components },
      biz_opaque_callback_data: 'intent-2',
    });
  });

  it('leaves components out when the template has no variables (platform §1.4)', () => {
    const { template } = templateMessage('919000055501', { name: 'hello', language: 'en', components: [] }, 'intent-3');
    expect(template).toEqual({ name: 'hello', language: { code: 'en' } });
  });
});
