import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { eventually } from '@mgw/testing';
import type { FileStore } from './file-store';
import { openFileStore } from './open-file-store';

describe('decision 789: a folder that is missing', () => {
  let parent: string;
  const signal = new AbortController().signal;
  const problems: unknown[] = [];
  const open = async (folder: string) => (await openFileStore(folder, (error) => problems.push(error))) as FileStore;

  beforeEach(async () => {
    parent = await mkdtemp(join(tmpdir(), 'mgw-folder-'));
    problems.length = 0;
  });
  afterEach(() => rm(parent, { recursive: true, force: true }));

  it('is reported at the start, and is not created', async () => {
    const folder = join(parent, 'volume');
    const store = await open(folder);
    await eventually(() => problems.length > 0);
    expect(problems).toEqual([expect.objectContaining({ code: 'ENOENT' })]);
    await expect(store.put('1/2', Readable.from(['a']), 1, signal)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readdir(parent)).toEqual([]);
    await mkdir(folder);
    await store.put('1/2', Readable.from(['a']), 1, signal);
    expect(await readdir(folder, { recursive: true })).toEqual(['1', '1/2']);
  });

  it('does not count as a deleted file', async () => {
    const folder = join(parent, 'volume');
    await mkdir(folder);
    const store = await open(folder);
    await store.put('1/2', Readable.from(['a']), 1, signal);
    await rm(folder, { recursive: true });
    await expect(store.delete('1/2', signal)).rejects.toMatchObject({ code: 'ENOENT' });
    await mkdir(folder);
    await store.delete('1/2', signal);
    expect(problems).toEqual([]);
  });
});
