import { erasePerson, PrepareErasure, SetSuppression } from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { service } from '../main';
import { startSending, type Sending } from '../send.fixture';

const OPTED_OUT = '919876500001';
const OTHER = '919876500002';

describe('guarantees §9, decision 712: sealing keys of send', () => {
  let sending: Sending;
  beforeEach(async () => (sending = await startSending()));
  afterEach(() => sending.harness.close());

  const prepare = (business_id: number, phone: string) => sending.harness.rpc.call(PrepareErasure, { business_id, phone });
  const template = (to: string) => sending.template({}, { to });

  it('an erased person stays opted out after the key was replaced, and others get messages', async () => {
    const { harness } = sending;
    const first = await sending.run();
    await prepare(1, OTHER);
    await template(OPTED_OUT);
    await harness.rpc.call(SetSuppression, { business_id: 1, phone: OPTED_OUT, state: 'opted_out', reason: null });
    const person = { business_id: 1, ...(await prepare(1, OPTED_OUT)) };
    await harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
    for (let cursor: string | null = null; ;) {
      ({ next_cursor: cursor } = await harness.rpc.call(erasePerson('send'), { ...person, cursor }));
      if (cursor === null) break;
    }
    // More than one batch.
    await harness.db.query(
      `INSERT INTO send.erasure_keys (business_id, key_sealed) SELECT * FROM unnest($1::bigint[], $2::text[])`,
      [1, 2].map((column) =>
        Array.from({ length: 250 }, (_, i) =>
          column === 1 ? i + 2 : harness.sealer.seal(`the secret key of the business ${i + 2}`, `send.erasure_key:${i + 2}`),
        ),
      ),
    );
    await first.stop();

    await harness.rotateKeys(service);
    await sending.run();
    expect(await template(OPTED_OUT)).toMatchObject({ error_code: 'RECIPIENT_SUPPRESSED' });
    expect(await template(OTHER)).toMatchObject({ phone: OTHER });
    expect(await prepare(251, OTHER)).toMatchObject({ hash_key: 'the secret key of the business 251' });
  });

  it('a start goes on after the database has ended its connections', async () => {
    const query = Database.prototype.query;
    const end = jest.spyOn(Database.prototype, 'query').mockImplementationOnce(function (this: Database) {
      return query.call(this, 'SELECT pg_terminate_backend(pg_backend_pid())') as never;
    });
    await sending.run();
    expect(await template(OTHER)).toMatchObject({ phone: OTHER });
    end.mockRestore();
  });
});
