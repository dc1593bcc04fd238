import {
  erasePerson,
  exportPerson,
  FindMedia,
  FindPerson,
  GetSuppression,
  PrepareErasure,
  RecordUpload,
  SendInteractive,
  SendLocation,
  SendMedia,
  SetSuppression,
  type GatewayError,
  type ReplyOf,
} from '@mgw/contracts';
import { inboundEvent } from '@mgw/harness';
import { eventually } from '@mgw/testing';
import { startSending, type Sending } from '../send.fixture';

const OPTED_OUT = '919876500001';
const OTHER = '919876500002';
/** People who wrote to the business and may be sent files. */
const [ASHA, BEN, CARA] = ['919876500003', '919876500004', '919876500005'] as const;

describe('personal data', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    // The service reads the business's key with the first message.
    await prepare(OTHER);
    const written = [ASHA, BEN, CARA].map((phone) =>
      inboundEvent({ message_id: `wamid.${phone}`, from: { phone, user_id: null, name: 'Customer' }, sent_at: new Date().toISOString() }),
    );
    await sending.harness.publish(...written);
    await eventually(async () => (await sending.harness.published('message.received')).length === written.length);
  });
  afterAll(() => sending.harness.close());

  const prepare = (phone: string) => sending.harness.rpc.call(PrepareErasure, { business_id: 1, phone });

  async function erase(phone: string): Promise<void> {
    const person = { business_id: 1, ...(await prepare(phone)) };
    // Stands for the time after which every replica knows the key.
    await sending.harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
    let cursor: string | null = null;
    do {
      ({ next_cursor: cursor } = await sending.harness.rpc.call(erasePerson('send'), { ...person, cursor }));
    } while (cursor !== null);
  }

  /** Records an upload and sends it to these people. */
  async function upload(media_id: string, ...people: string[]): Promise<void> {
    const filename = `Invoice ${media_id}.pdf`;
    const file = { business_id: 1, media_id, mime_type: 'application/pdf', file_size: 7, filename };
    await sending.harness.rpc.call(RecordUpload, file);
    for (const to of people)
      await sending.harness.rpc.call(SendMedia, {
        sender: sending.sender(),
        to,
        media_type: 'document',
        media_id,
        caption: null,
        filename,
      });
  }
  const find = (media_id: string) =>
    sending.harness.rpc
      .call(FindMedia, { business_id: 1, media_id })
      .then(({ filename }) => filename)
      .catch(({ error_code }: GatewayError) => error_code);
  const storedFiles = async () =>
    (await sending.harness.db.query<{ media_id: string }>('SELECT media_id FROM send.stored_files ORDER BY 1')).map((row) => row.media_id);

  async function exported(phone: string): Promise<Record<string, unknown>[]> {
    const person = { business_id: 1, ...(await sending.harness.rpc.call(FindPerson, { business_id: 1, phone })) };
    const all: Record<string, unknown>[] = [];
    for (let cursor: string | null = '0'; cursor !== null;) {
      const { rows, next_cursor }: ReplyOf<ReturnType<typeof exportPerson>> = await sending.harness.rpc.call(exportPerson('send'), {
        ...person,
        cursor,
      });
      all.push(...rows);
      cursor = next_cursor;
    }
    return all;
  }

  it('decision 382: an opted-out person who was erased is known by a hash only, gets no message, and is opted out again as soon as somebody writes to the number', async () => {
    for (const phone of [OPTED_OUT, OTHER]) expect(await sending.template({}, { to: phone })).toMatchObject({ phone });
    const state = 'opted_out' as const;
    await sending.harness.rpc.call(SetSuppression, { business_id: 1, phone: OPTED_OUT, state, reason: 'Asked us.' });
    for (const phone of [OPTED_OUT, OTHER]) await erase(phone);
    const rows = await sending.harness.db.query<{ row: string }>(
      `SELECT c::text AS row FROM send.conversations c UNION ALL SELECT a::text FROM send.conversation_aliases a
       UNION ALL SELECT i::text FROM send.intents i UNION ALL SELECT e::text FROM send.erased_opt_outs e`,
    );
    expect(rows.filter(({ row }) => row.includes(OPTED_OUT) || row.includes(OTHER))).toEqual([]);

    expect(await sending.template({}, { to: OPTED_OUT })).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    expect(await sending.template({}, { to: OTHER })).toMatchObject({ phone: OTHER });
    const { suppression } = await sending.harness.rpc.call(GetSuppression, { business_id: 1, phone: OPTED_OUT });
    expect(suppression).toMatchObject({ phone: OPTED_OUT, state, source: 'dashboard', reason: null });
  });

  it('decision 385: an export has the content of sent messages and the uploads that the person was sent', async () => {
    await upload('51', BEN, BEN, CARA);
    await upload('52', CARA);
    const location = { latitude: 12.97, longitude: 77.59, name: 'Shop', address: 'MG Road' };
    const sent = { sender: sending.sender(), to: BEN, reply_to: `wamid.${BEN}` };
    const { message_id } = await sending.harness.rpc.call(SendLocation, { ...sent, location });
    await sending.harness.db.query(
      `UPDATE send.stored_files SET state = 'stored', mime_type = 'application/pdf', file_size = 7, sha256 = 'abc' WHERE media_id = '51'`,
    );
    const rows = await exported(BEN);
    const details = rows.filter(({ kind }) => kind === 'message_sent_details');
    expect(details).toHaveLength(3);
    const file = { media_id: '51', filename: 'Invoice 51.pdf' };
    expect(details.filter((row) => 'media_id' in (row['details'] as object))).toMatchObject([{ details: file }, { details: file }]);
    expect(details).toContainEqual({
      kind: 'message_sent_details',
      message_id,
      details: { location, context: { message_id: `wamid.${BEN}` } },
    });
    expect(rows.filter(({ kind }) => kind === 'file')).toEqual([
      { kind: 'file', ...file, mime_type: 'application/pdf', file_size: 7, sha256: 'abc' },
    ]);
    await sending.harness.db.query(`DELETE FROM send.stored_files WHERE media_id = '52'`);
    expect((await exported(CARA)).filter(({ kind }) => kind === 'file')).toMatchObject([
      { media_id: '51', sha256: 'abc' },
      { media_id: '52', filename: 'Invoice 52.pdf', file_size: 7, sha256: null },
    ]);
  });

  it('decision 402: an erasure deletes the uploads that nobody else was sent, also from lookups and sends', async () => {
    await upload('41', ASHA);
    await upload('42', ASHA, BEN);
    await upload('43', ASHA);
    await upload('44');
    await upload('45', BEN);
    await upload('46');
    const header = { type: 'document' as const, media_id: '46' };
    const content = { kind: 'buttons' as const, body: 'Which?', buttons: [{ id: 'a', title: 'A' }], header };
    await sending.harness.rpc.call(SendInteractive, { sender: sending.sender(), to: ASHA, content });
    // The outcome of this send is unknown: the person may have the file.
    sending.platform.respond((_, response) => void response.destroy());
    await upload('47');
    const image = { media_type: 'image' as const, caption: null, filename: null };
    await expect(
      sending.harness.rpc.call(SendMedia, { sender: sending.sender(), to: ASHA, ...image, media_id: '47' }),
    ).rejects.toMatchObject({ error_code: 'OUTCOME_UNKNOWN' });
    sending.platform.accept();
    // No store has a copy of this upload.
    await sending.harness.db.query(`DELETE FROM send.stored_files WHERE media_id = '43'`);
    expect(await Promise.all(['41', '43', '46', '47'].map(find))).toEqual(['41', '43', '46', '47'].map((id) => `Invoice ${id}.pdf`));
    await erase(ASHA);
    await erase(ASHA);
    expect(await Promise.all(['41', '43', '46', '47'].map(find))).toEqual(Array(4).fill('NOT_FOUND'));
    expect(await Promise.all(['42', '44', '45'].map(find))).toEqual(['42', '44', '45'].map((id) => `Invoice ${id}.pdf`));
    expect((await storedFiles()).filter((id) => id.startsWith('4'))).toEqual(['42', '44', '45']);
    const refusal = { error_code: 'VALIDATION_FAILED', extras: { details: [{ field: 'media_id' }] } };
    await expect(
      sending.harness.rpc.call(SendMedia, { sender: sending.sender(), to: BEN, ...image, media_id: '41' }),
    ).rejects.toMatchObject(refusal);
  });
});
