import { rowsRead } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { startDashboard, type Dashboard } from '../test/dashboard.fixture';
import { ApiKeysStore } from './api-keys/api-keys.store';
import { AuditStore, type AuditFilter } from './audit/audit.store';
import type { GatewayConfig } from './gateway.config';

describe('decision 735: lists read their own rows', () => {
  let dashboard: Dashboard;
  let [business_id, other_id] = [0, 0];
  beforeAll(async () => {
    dashboard = await startDashboard();
    [business_id, other_id] = [await dashboard.business(), await dashboard.business()];
  });
  afterAll(() => dashboard.close());

  it.each(['of a business', 'of all businesses'])('a page of the audit log %s, also far behind the first', async (which) => {
    await dashboard.db.query(
      `INSERT INTO access.audit (business_id, action, target, detail) SELECT $1, 'user.removed', 'user:1', '{}' FROM generate_series(1, 3000)`,
      [business_id],
    );
    const [oldest] = await dashboard.db.query<{ id: string }>('SELECT min(id) AS id FROM access.audit WHERE business_id = $1', [
      business_id,
    ]);
    const cursor = Buffer.from(JSON.stringify([String(Number(oldest?.id) + 100)])).toString('base64url');
    const filter: AuditFilter = { user_id: null, action: null, from: null, to: null, timezone: 'UTC', business_id: null };
    if (which === 'of a business') filter.business_id = business_id;
    const list = (db: Database) => new AuditStore(db, createLogger('test')).list(filter, { limit: 20, cursor });
    expect((await list(dashboard.db)).page).toHaveLength(20);
    expect((await rowsRead(dashboard.db, list))['audit']).toBeLessThan(1_500);
  });

  it('the API keys of a business', async () => {
    await dashboard.db.query(
      `INSERT INTO access.api_keys (business_id, name, permissions, token_mac, last_four)
       SELECT CASE WHEN n > 2 THEN $1::integer ELSE $2::integer END, 'CRM', '{*}', sha256(n::text::bytea), 'abcd' FROM generate_series(1, 3000) n`,
      [other_id, business_id],
    );
    const list = (db: Database) => new ApiKeysStore(db, {} as GatewayConfig).list(business_id);
    expect(await list(dashboard.db)).toHaveLength(2);
    expect((await rowsRead(dashboard.db, list))['api_keys']).toBeLessThan(20);
    expect(await new ApiKeysStore(dashboard.db, {} as GatewayConfig).list(null)).toHaveLength(ApiKeysStore.LIST_MAX);
  });
});
