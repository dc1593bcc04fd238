import type { exportPerson, PersonRef, ResponseOf, RequestOf } from '@mgw/contracts';
import { eraseFrom, exportedRows, rowsRead, startHarness, type Harness } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import { personalDataController } from '@mgw/service';
import { service } from './main';
import { autoReplyPersonalData } from './personal-data';

type Export = ReturnType<typeof exportPerson>;
type Exporting = new (db: Database) => { export(request: RequestOf<Export>): Promise<{ response: ResponseOf<Export> }> };

describe('decision 730: the automatic replies of a number that has written very many messages', () => {
  const PERSON: PersonRef = { business_id: 1, names: ['919876543210'], conversation_ids: [1, 2] };
  let harness: Harness;
  beforeAll(async () => {
    harness = await startHarness(service);
    await harness.run(service);
    await harness.db.query(
      `INSERT INTO auto_reply.replies (business_id, inbound_message_id, conversation_id, customer, question, received_at, state, ended_at)
       SELECT 1, 'wamid.' || n, 1 + n % 3, $1, 'Question ' || n, now(), 'skipped', now() FROM generate_series(1, 1800) n`,
      PERSON.names,
    );
  });
  afterAll(() => harness.close());

  const left = async (where: string) =>
    (await harness.db.query<{ count: number }>(`SELECT count(*)::integer AS count FROM auto_reply.replies WHERE ${where}`))[0]?.count;

  it('are exported once each, in the order of their questions', async () => {
    const rows = await exportedRows(harness.rpc, 'auto-reply', PERSON);
    expect(rows.map(({ question }) => question)).toEqual(
      Array.from({ length: 1_800 }, (_, i) => i + 1)
        .filter((n) => n % 3 < 2)
        .map((n) => `Question ${n}`),
    );
  });

  it('decision 736: are exported by an index', async () => {
    let cursor: string | null = null;
    for (let page = 0; page < 5; page += 1) {
      const read = await rowsRead(harness.db, async (db) => {
        const controller = new (personalDataController('auto-reply', 'auto_reply', autoReplyPersonalData) as unknown as Exporting)(db);
        ({
          response: { next_cursor: cursor },
        } = await controller.export({ ...PERSON, cursor }));
      });
      // A page of each conversation.
      expect(read['replies']).toBeLessThan(200);
    }
  });

  it('are erased in steps of 500, except one that a worker holds, for which the erasure waits', async () => {
    await harness.db.query(`INSERT INTO auto_reply.workers (worker_id, alive_until) VALUES ('w', now() + interval '1 hour')`);
    await harness.db.query(
      `UPDATE auto_reply.replies SET state = 'pending', ended_at = NULL, worker_id = 'w', due_at = now() + interval '1 hour' WHERE question = 'Question 1'`,
    );
    expect(await eraseFrom(harness.rpc, 'auto-reply', PERSON)).toBe(500);
    expect(await left(`customer <> 'erased' AND conversation_id IN (1, 2)`)).toBe(1);
    expect(await left(`question <> '' AND conversation_id = 3`)).toBe(600);
    expect(await eraseFrom(harness.rpc, 'auto-reply', PERSON)).toBe(1);
    await harness.db.query(`UPDATE auto_reply.replies SET state = 'skipped', worker_id = NULL WHERE question = 'Question 1'`);
    expect(await eraseFrom(harness.rpc, 'auto-reply', PERSON)).toBe(1);
    expect(await left(`customer <> 'erased' AND conversation_id IN (1, 2)`)).toBe(0);
    expect(await eraseFrom(harness.rpc, 'auto-reply', PERSON)).toBe(0);
  });
});
