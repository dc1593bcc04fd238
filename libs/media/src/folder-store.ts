import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileRange } from './downloads';
import type { FileStore } from './file-store';

/** Files in a folder, which all gateways share. */
export class FolderStore implements FileStore {
  constructor(private readonly folder: string) {}

  async put(key: string, bytes: Readable, _size: number, signal: AbortSignal): Promise<void> {
    const path = join(this.folder, key);
    const partial = partialOf(path);
    await mkdir(dirname(path), { recursive: true });
    try {
      await pipeline(bytes, createWriteStream(partial, { mode: 0o600, flush: true }), { signal });
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  }

  async open(key: string, { first, last }: FileRange): Promise<Readable> {
    const stream = createReadStream(join(this.folder, key), { start: first, end: last });
    await once(stream, 'open');
    return stream;
  }

  async delete(key: string): Promise<void> {
    const path = join(this.folder, key);
    // A process that was killed leaves a part behind.
    for (const one of [path, partialOf(path)]) await rm(one, { force: true });
  }

  close(): void {}
}

const partialOf = (path: string) => `${path}.part`;
