import { erasePerson, GetSuppression, PrepareErasure, SetSuppression } from '@mgw/contracts';
import { startSending, type Sending } from '../send.fixture';

const OPTED_OUT = '919876500001';
const OTHER = '919876500002';

describe('decision 382: an opted-out person who was erased', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
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

  it('is known by a hash only, gets no message, and is opted out again as soon as somebody writes to the number', async () => {
    await prepare(OTHER);
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
});
