import {
  ClaimFiles,
  EndFileTask,
  erasePerson,
  FindMedia,
  HasErasedFiles,
  HasStoredFiles,
  PrepareErasure,
  RecordUpload,
  SendMedia,
  type FileTask,
  type ResponseOf,
} from '@mgw/contracts';
import { inboundEvent, rowsRead } from '@mgw/harness';
import type { Database } from '@mgw/postgres';
import { eventually } from '@mgw/testing';
import type { SendConfig } from '../send.config';
import { startSending, type Sending } from '../send.fixture';
import { StoredFilesStore } from './stored-files.store';

const PHONE = '919876543210';
const OTHER = '12025550100';
const FACTS = { mime_type: 'image/png', file_size: 7, sha256: 'a'.repeat(64) };

describe('files that MEDIA_STORE keeps (additions §2, decision 400)', () => {
  let sending: Sending;
  beforeAll(async () => {
    sending = await startSending();
    await sending.run();
    const media = (id: string) => ({
      message_id: `wamid.${id}`,
      type: 'image',
      text: null,
      media: { type: 'image', id, mime_type: 'image/png' },
    });
    const now = { sent_at: new Date().toISOString() };
    const other = { from: { phone: OTHER, user_id: null, name: 'Ben' } };
    await sending.harness.publish(
      ...['11', '12', '13'].map((id) => inboundEvent({ ...media(id), ...now })),
      inboundEvent({ ...media('14'), ...now, ...other }),
      inboundEvent({ ...media('21'), ...now }, 2),
      // No path may have it.
      inboundEvent({ ...media('../9'), ...now }, 3),
    );
    await eventually(async () => (await sending.harness.published('message.received')).length === 6);
  });
  afterAll(() => sending.harness.close());

  const claim = async (limit: number, without: number[] = []) =>
    (await sending.harness.rpc.call(ClaimFiles, { limit, without })).files.sort((a, b) => a.business_id - b.business_id);
  const end = ({ business_id, media_id, attempts }: FileTask, outcome: 'deleted' | 'gone' | 'failed' | typeof FACTS) =>
    sending.harness.rpc.call(EndFileTask, { business_id, media_id, attempts, outcome });
  const find = (media_id: string) => sending.harness.rpc.call(FindMedia, { business_id: 1, media_id });
  const states = async () =>
    (await sending.harness.db.query<{ row: string }>(`SELECT media_id || ' ' || state AS row FROM send.stored_files ORDER BY 1`)).map(
      ({ row }) => row,
    );
  /** Makes a file the next to be claimed. */
  const next = (media_id: string) =>
    sending.harness.db.query(`UPDATE send.stored_files SET due_at = '2020-01-01' WHERE media_id = $1`, [media_id]);

  it('claims one file of each business at a time, and ends a claim once', async () => {
    expect(await claim(5, [1, 2])).toEqual([]);
    const hasStored = () => sending.harness.rpc.call(HasStoredFiles, {});
    expect(await hasStored()).toEqual({ has_files: false });
    const [first, foreign] = await claim(5);
    expect([first, foreign]).toMatchObject([
      { business_id: 1, media_id: '11', attempts: 1, task: 'store' },
      { business_id: 2, media_id: '21', attempts: 1, task: 'store' },
    ]);
    await end(first as FileTask, FACTS);
    expect(await hasStored()).toEqual({ has_files: true });
    expect(await find('11')).toMatchObject({ stored: { ...FACTS, kept_until: expect.any(String) as string } });
    await expect(sending.harness.rpc.call(FindMedia, { business_id: 2, media_id: '11' })).rejects.toMatchObject({
      error_code: 'NOT_FOUND',
    });
    const [second] = await claim(5);
    expect(second).toMatchObject({ media_id: '12' });
    await end(second as FileTask, 'failed');
    // A failure holds up the business's other files too, because the platform counts failures.
    expect(await claim(5)).toEqual([]);
    await next('12');
    const [retried] = await claim(5);
    expect(retried).toMatchObject({ media_id: '12', attempts: 2 });
    // The end of an expired claim changes nothing.
    await end(second as FileTask, FACTS);
    await end(retried as FileTask, 'gone');
    expect(await states()).toEqual(['11 stored', '12 deleting', '13 waiting', '14 waiting', '21 storing']);
    await next('12');
    const [gone] = await claim(1, [2]);
    expect(gone).toMatchObject({ media_id: '12', task: 'delete' });
    await end(gone as FileTask, 'deleted');
    await expect(find('12')).resolves.not.toHaveProperty('stored');
  });

  it('deletes stored files when their messages expire', async () => {
    await sending.harness.db.query(`UPDATE send.stored_files SET last_used_at = '2024-01-01' WHERE media_id = '11'`);
    const [expired] = await claim(1, [2]);
    expect(expired).toMatchObject({ media_id: '11', task: 'delete' });
    await end(expired as FileTask, FACTS);
    expect(await states()).toContain('11 deleting');
  });

  it('decision 735: finds the files of an erased person without reading those that wait', async () => {
    await sending.harness.db.query(
      `INSERT INTO send.stored_files (business_id, media_id, conversation_id, last_used_at, state)
       SELECT 9, 'm' || n, 900000 + n, now(), CASE n WHEN 1 THEN 'deleting' ELSE 'waiting' END FROM generate_series(1, 3000) n`,
    );
    const hasErased = (db: Database, id: number) => new StoredFilesStore(db, {} as SendConfig).hasErased(9, [id]);
    expect([await hasErased(sending.harness.db, 900_001), await hasErased(sending.harness.db, 900_002)]).toEqual([true, false]);
    expect((await rowsRead(sending.harness.db, (db) => hasErased(db, 900_002)))['stored_files']).toBeLessThan(20);
    await sending.harness.db.query('DELETE FROM send.stored_files WHERE business_id = 9');
  });

  it('decision 402: an erasure ends when the files of the person are deleted, even one that is being stored and one that only the person was sent', async () => {
    for (const [media_id, ...people] of [
      ['31', PHONE],
      ['32', PHONE, OTHER],
    ] as const) {
      await sending.harness.rpc.call(RecordUpload, { business_id: 1, media_id, mime_type: 'image/png', file_size: 7, filename: null });
      const file = { media_type: 'image', media_id, caption: null, filename: null } as const;
      for (const to of people) await sending.harness.rpc.call(SendMedia, { sender: sending.sender(), to, ...file });
    }
    await next('13');
    const [storing] = await claim(1, [2]);
    expect(storing).toMatchObject({ media_id: '13', task: 'store' });
    /** Runs a round. @returns queries of what another round finds, and of whether files are left */
    const erase = async (phone: string) => {
      const person = { business_id: 1, ...(await sending.harness.rpc.call(PrepareErasure, { business_id: 1, phone })) };
      await sending.harness.db.query(`UPDATE send.erasure_keys SET created_at = now() - interval '1 minute'`);
      const round = async () => {
        const steps: number[] = [];
        for (let cursor: string | null | undefined; cursor !== null;) {
          const step: ResponseOf<ReturnType<typeof erasePerson>> = await sending.harness.rpc.call(erasePerson('send'), {
            ...person,
            cursor: cursor ?? null,
          });
          steps.push(step.found);
          cursor = step.next_cursor;
        }
        // The last step finds events until their consumers have handled them.
        return steps.slice(0, -1).filter((found) => found > 0);
      };
      await round();
      const { conversation_ids } = person;
      const filesLeft = async () => (await sending.harness.rpc.call(HasErasedFiles, { business_id: 1, conversation_ids })).has_files;
      return { round, filesLeft };
    };
    const { round, filesLeft } = await erase(PHONE);
    expect(await states()).toEqual(['11 deleting', '13 deleting', '14 waiting', '21 storing', '32 waiting']);
    expect((await claim(5, [2])).map(({ media_id }) => media_id)).not.toContain('13');
    expect(await filesLeft()).toBe(true);
    expect(await round()).toEqual([]);
    // The copy that was in progress ends, and is deleted at once.
    await end(storing as FileTask, FACTS);
    for (const id of ['11', '13']) {
      await next(id);
      for (const task of await claim(1, [2])) await end(task, 'deleted');
    }
    expect(await states()).toEqual(['14 waiting', '21 storing', '32 waiting']);
    expect(await filesLeft()).toBe(false);
    await erase(OTHER);
    expect(await states()).toEqual(['21 storing']);
  });
});
