import { startHarness, type Harness } from '@mgw/harness';
import { Database } from '@mgw/postgres';
import { service } from '../main';
import { ConnectionsStore } from './connections.store';

/** Without these PostgreSQL runs a subquery of a join again for each row. */
const ONCE = ['hashagg', 'sort', 'material', 'memoize'];

describe('claims of due probes (decision 540)', () => {
  let harness: Harness;

  beforeAll(async () => (harness = await startHarness(service)));
  afterAll(() => harness.close());

  it('take at most as many as requested, even if the plan of a join would run the subquery for each row', async () => {
    await harness.db.query(`INSERT INTO template.connections (business_id, phone_number_id, business_account_id, access_token_sealed,
      app_secret_sealed, verify_token_sealed, probe_at) SELECT n, n, n, '', '', '', now() FROM generate_series(1, 9) n`);
    for (const plan of ONCE)
      await harness.db.query(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET enable_${plan} = off', current_database()); END $$`);
    const db = await Database.open({ url: harness.env['DATABASE_URL'] as string, schema: 'template' });
    harness.onClose(() => db.close());
    expect(await new ConnectionsStore(db).claimDue(3)).toHaveLength(3);
  });
});
