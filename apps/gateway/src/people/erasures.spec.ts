import { migratedDatabase } from '@mgw/harness';
import { Database } from '@mgw/postgres';
import type { TestDatabase } from '@mgw/testing';
import { service as gateway } from '../main';
import { ErasuresStore } from './erasures.store';

describe('decision 421: erasures of several businesses', () => {
  let database: TestDatabase;
  let db: Database;
  let erasures: ErasuresStore;
  beforeAll(async () => {
    database = await migratedDatabase(gateway);
    db = await Database.open({ url: database.url, schema: 'access', applicationName: 'gateway' });
    erasures = new ErasuresStore(db);
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  async function request(business_id: number): Promise<void> {
    await db.query(`INSERT INTO access.erasures (business_id, contact, reason) VALUES ($1, '…0100', 'Asked for it.')`, [business_id]);
  }
  /** Runs the next round. @returns the business whose erasure it was */
  async function round(): Promise<number | undefined> {
    const erasure = await erasures.claim();
    if (erasure) await erasures.endRound(erasure.id, [], false, 0);
    return erasure?.business_id;
  }

  it('take turns: one does not wait for all erasures of another', async () => {
    const [busy = 0, other = 0] = (
      await db.query<{ id: number }>(
        `INSERT INTO access.businesses (name, plan, timezone) VALUES ('Busy', 'Pro', 'UTC'), ('Other', 'Pro', 'UTC') RETURNING id`,
      )
    ).map(({ id }) => id);
    for (let i = 0; i < 100; i += 1) await request(busy);
    expect([await round(), await round()]).toEqual([busy, busy]);
    await request(other);
    expect([await round(), await round(), await round(), await round()]).toEqual([other, busy, other, busy]);
  });
});
