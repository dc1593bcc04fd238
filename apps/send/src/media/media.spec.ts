import { FindMedia, RecordUpload, SendInteractive, SendMedia, type GatewayError } from '@mgw/contracts';
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
    const [received] = await eventually(async () => {
      const events = await sending.harness.published('message.received');
      return events.length === 2 && events;
    });
    expect(received?.data).toMatchObject({ media_id: media.id, media_url: `http://localhost:8080/api/v1/media/${media.id}` });
    expect(await find(1, media.id)).toEqual({ media_id: media.id, filename: 'PO 2291.pdf', expires_at: '2026-01-09T03:04:05.000Z' });
    expect([await find(2, media.id), await find(1, '275485944149812')]).toEqual(['NOT_FOUND', 'NOT_FOUND']);
  });

  it('additions §2: finds an uploaded file for thirty days, and sends own files by their id only', async () => {
    const upload = { business_id: 1, media_id: '4490709327384033', mime_type: 'image/png', file_size: 7, filename: null };
    const { expires_at } = await sending.harness.rpc.call(RecordUpload, upload);
    expect(await find(1, upload.media_id)).toEqual({ media_id: upload.media_id, filename: null, expires_at });
    expect(Date.parse(expires_at) - Date.now()).toBeGreaterThan(29.9 * 86_400_000);
    await sending.harness.publish(inboundEvent({ message_id: 'wamid.now', sent_at: new Date().toISOString() }));
    await eventually(async () => (await sending.harness.published('message.received')).some(({ id }) => id.endsWith('wamid.now')));
    const image = { media_type: 'image' as const, caption: null, filename: null };
    const content = { kind: 'buttons' as const, body: 'Which?', buttons: [{ id: 'a', title: 'A' }] };
    const header = (media_id: string) => ({ content: { ...content, header: { type: 'image' as const, media_id } } });
    expect(await sending.free(SendMedia, { ...image, media_id: upload.media_id })).toMatchObject({ replayed: false });
    expect(await sending.free(SendInteractive, header(upload.media_id))).toMatchObject({ replayed: false });
    expect(sending.platform.calls().slice(-2)).toMatchObject([
      { type: 'image', image: { id: upload.media_id } },
      { type: 'interactive', interactive: { header: { type: 'image', image: { id: upload.media_id } } } },
    ]);
    await sending.harness.rpc.call(RecordUpload, { ...upload, business_id: 2, media_id: '99' });
    // The received file of the first test has expired.
    for (const foreign of ['99', '100', '2754859441498128']) {
      const refusal = { error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'media_id' }] } };
      expect(await sending.free(SendMedia, { ...image, media_id: foreign })).toMatchObject(refusal);
      expect(await sending.free(SendInteractive, header(foreign))).toMatchObject({ extras: { details: [{ field: 'header.media_id' }] } });
    }
    expect(sending.platform.calls()).toHaveLength(2);
  });
});
