import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, constants, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileRange } from './downloads';
import type { FileStore } from './file-store';

/**
 * Files in a folder, which all gateways share. It never creates the folder: without its volume, files would go to the wrong disk, and
 * deleting would succeed while the volume keeps the file (decision 789).
 */
export class FolderStore implements FileStore {
  constructor(private readonly folder: string) {}

  /** @throws unless it is a folder that this process may write */
  check(): Promise<void> {
    return access(join(this.folder, '.'), constants.W_OK | constants.X_OK);
  }

  async put(key: string, bytes: Readable, _size: number, signal: AbortSignal): Promise<void> {
    const path = join(this.folder, key);
    const partial = partialOf(path);
    await this.check();
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
    await this.check();
    // A process that was killed leaves a part behind.
    for (const one of [path, partialOf(path)]) await rm(one, { force: true });
  }

  close(): void {}
}

const partialOf = (path: string) => `${path}.part`;
