import type { Readable } from 'node:stream';
import type { FileRange } from './downloads';

/** Keeps files for as long as their messages (decision 400). A key is `<business>/<file>`. */
export interface FileStore {
  /** Replaces the file of this key. If it fails, the key has its previous file or none. */
  put(key: string, bytes: Readable, size: number, signal: AbortSignal): Promise<void>;
  /** @throws unless the store has the file */
  open(key: string, range: FileRange): Promise<Readable>;
  /** Does nothing if there is no such file. */
  delete(key: string, signal: AbortSignal): Promise<void>;
  close(): void;
}
