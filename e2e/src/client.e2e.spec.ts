import { gatewayClient, InvalidSignature, verifyWebhook } from '@mgw/client';
import { eventually, startReceiver, type Receiver } from '@mgw/testing';
import { dashboardUser } from './people';
import { startStack, type RunningStack } from './stack';

describe('the client library', () => {
  let stack: RunningStack;
  let receiver: Receiver;
  beforeAll(async () => {
    stack = await startStack();
    receiver = await startReceiver();
    const owner = await dashboardUser(stack.demo.site_url, stack.growth.owner);
    await owner.call('POST', '/api/client/webhooks', { name: 'w', url: receiver.url, events: ['message.sent'], secret: 'swordfish' });
  }, 150_000);
  afterAll(async () => {
    await receiver?.close();
    await stack?.stop();
  });

  it('sends, follows a message, and throws errors with their code', async () => {
    const gateway = gatewayClient({ url: stack.demo.site_url, apiKey: stack.growth.api_key });
    const sent = await gateway.POST('/api/v1/send-template', {
      body: { phone: '+1 201 555 0100', template_name: 'order_update', body_params: ['Asha', '1007'] },
    });
    expect(sent.data).toMatchObject({ success: true, phone: '12015550100', delivery_status: 'queued' });
    const message_id = sent.data?.message_id ?? '';
    const status = await gateway.GET('/api/v1/message-status/{message_id}', { params: { path: { message_id } } });
    expect(status.data).toMatchObject({ api_status: 'success', message_id });
    const refused = await gateway.POST('/api/v1/send-text', { body: { phone: '+1 201 555 0100', message: 'Hello' } });
    expect(refused.error).toMatchObject({ error_code: 'WINDOW_CLOSED' });
  });

  it('accepts a webhook of the dispatcher and rejects a forged one (spec §5.9)', async () => {
    const { body, headers } = await eventually(() => receiver.requests[0]);
    const signature = headers['x-service-signature'];
    expect(verifyWebhook({ secret: 'swordfish', signature, body })).toMatchObject({ event: 'message.sent', data: { to: '12015550100' } });
    for (const forged of [
      { secret: 'other', signature, body },
      { secret: 'swordfish', signature, body: `${body} ` },
      { secret: 'swordfish', signature: undefined, body },
      { secret: 'swordfish', signature: 'zz', body },
    ])
      expect(() => verifyWebhook(forged)).toThrow(InvalidSignature);
  });
});
