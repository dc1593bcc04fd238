import { FindMedia, type GatewayError } from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

describe('files that businesses received (decision 340)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
  });
  afterAll(() => sending.harness.close());

  const find = (business_id: number, media_id: string) =>
    sending.harness.rpc.call(FindMedia, { business_id, media_id }).catch(({ error_code }: GatewayError) => error_code);

  it('finds a file of the business itself only, with its name and the end of its life', async () => {
    const media = { type: 'document', id: '2754859441498128', mime_type: 'application/pdf' };
    const file = { type: 'document', text: null, media, details: { filename: 'PO 2291.pdf' }, sent_at: '2026-01-02T03:04:05.000Z' };
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.file', ...file }), inboundEvent({ message_id: 'wamid.text' }));
    await eventually(async () => (await sending.harness.published('message.received')).length === 2);
    expect(await find(1, media.id)).toEqual({ media_id: media.id, filename: 'PO 2291.pdf', expires_at: '2026-01-09T03:04:05.000Z' });
    expect([await find(2, media.id), await find(1, '275485944149812')]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });
});
