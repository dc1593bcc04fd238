import { randomBytes } from 'node:crypto';
import { erasePerson, HasErasedFiles, PEOPLE_SERVICES, type Operation } from '@mgw/contracts';
import { migratedDatabase } from '@mgw/harness';
import { Database } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { createLogger } from '@mgw/telemetry';
import { eventually, type TestDatabase } from '@mgw/testing';
import { service as gateway } from '../main';
import { ErasureService } from './erasure.service';
import { ErasuresStore } from './erasures.store';

describe('erasures', () => {
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

  it('decision 421: of several businesses take turns: one does not wait for all erasures of another', async () => {
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

  it('one whose person does not open, or whom a service does not erase, is named in the log, and others end', async () => {
    await db.query('DELETE FROM access.erasures');
    const [business] = await db.query<{ id: number }>(
      `INSERT INTO access.businesses (name, plan, timezone) VALUES ('Damaged', 'Pro', 'UTC') RETURNING id`,
    );
    for (let n = 0; n < 3; n += 1) await request(business?.id ?? 0);
    const [damaged, sound, kept] = await db.query<{ id: number }>('SELECT id FROM access.erasures ORDER BY id');
    const sealer = new Sealer(`test:${randomBytes(32).toString('base64')}`);
    const person = (id: number | undefined, name: string) =>
      sealer.seal(
        JSON.stringify({ business_id: business?.id, names: [name], conversation_ids: [1], hash_key: 'x' }),
        `erasure.person:${id}`,
      );
    await db.query('UPDATE access.erasures SET person_sealed = CASE id WHEN $1 THEN $2 ELSE $3 END', [
      kept?.id,
      person(kept?.id, 'kept'),
      person(sound?.id, 'sound'),
    ]);
    const fault = new Error('not now');
    const rpc = {
      call: async ({ subject }: Operation, { names }: { names?: string[] }) => {
        if (subject === erasePerson('status').subject && names?.[0] === 'kept') throw fault;
        return subject === HasErasedFiles.subject ? { has_files: false } : { found: 0, next_cursor: null };
      },
    };
    const logged: unknown[] = [];
    const log = (fields: unknown, line: string) => logged.push([line, fields]);
    const logger = { info: log, warn: log, error: log };
    const service = new ErasureService(db, erasures, rpc as never, sealer, {} as never, logger as never);
    service.onApplicationBootstrap();
    await eventually(() => logged.length >= 3);
    await service.onApplicationShutdown();
    expect(logged).toEqual([
      ['opening the person of an erasure failed; will retry', { erasure_id: damaged?.id, business_id: business?.id }],
      ['a person is erased', { erasure_id: sound?.id, business_id: business?.id }],
      ['erasing a person failed; will retry', { err: fault, people_service: 'status', erasure_id: kept?.id }],
    ]);
  });

  it('decision 402: wait for files ever longer and without rounds, and end with one more round', async () => {
    await db.query('DELETE FROM access.erasures');
    const [business] = await db.query<{ id: number }>('SELECT id FROM access.businesses LIMIT 1');
    await request(business?.id ?? 0);
    let hasFiles = true;
    const asked: string[] = [];
    let requestedAt: string | undefined;
    const rpc = {
      call: ({ subject }: Operation, { requested_at }: { requested_at?: string }) => {
        asked.push(subject);
        requestedAt = requested_at ?? requestedAt;
        return Promise.resolve(subject === HasErasedFiles.subject ? { has_files: hasFiles } : { found: 0, next_cursor: null });
      },
    };
    const sealer = { openOrNull: () => JSON.stringify({ business_id: business?.id, names: ['1'], conversation_ids: [1], hash_key: 'x' }) };
    const logger = createLogger('gateway', 'silent');
    const service = new ErasureService(db, erasures, rpc as never, sealer as never, {} as never, logger);
    service.onApplicationBootstrap();
    /** Waits for the end of a round. @returns its pause in minutes */
    const ended = () =>
      eventually(async () => {
        const [row] = await db.query<{ round: boolean; pause: number; done: boolean; services: number }>(
          `SELECT round_at IS NOT NULL AND due_at <> round_at + interval '60 seconds' AS round, completed_at IS NOT NULL AS done,
             round(extract(epoch FROM due_at - round_at) / 60)::integer AS pause, cardinality(confirmed) AS services FROM access.erasures`,
        );
        return row?.round && row;
      });
    const again = async (age: string) => {
      asked.length = 0;
      await db.query(`UPDATE access.erasures SET round_at = NULL, due_at = now(), requested_at = now() - $1::interval`, [age]);
      service.wake();
      return ended();
    };
    try {
      expect(await ended()).toMatchObject({ pause: 0, done: false, services: PEOPLE_SERVICES.length });
      expect(asked).toHaveLength(PEOPLE_SERVICES.length + 1);
      expect(await again('8 minutes')).toMatchObject({ pause: 2, done: false });
      expect(asked).toEqual([HasErasedFiles.subject]);
      expect(await again('3 days')).toMatchObject({ pause: 10, done: false });
      hasFiles = false;
      expect(await again('3 days')).toMatchObject({ done: true });
      expect(asked).toHaveLength(PEOPLE_SERVICES.length + 2);
      // The person's names belong to others after the request (decision 730).
      const [erasure] = await db.query<{ requested_at: Date }>('SELECT requested_at FROM access.erasures');
      expect(requestedAt).toBe(erasure?.requested_at.toISOString());
    } finally {
      await service.onApplicationShutdown();
    }
  });
});
