import type { Readable } from 'node:stream';
import type { FileRange } from './downloads';
import { FolderStore } from './folder-store';

/** Keeps files for as long as their messages (decision 400). A key is `<business>/<file>`. */
export interface FileStore {
  /** Replaces the file of this key. When it fails, there is the former file or none. */
  put(key: string, bytes: Readable, size: number, signal: AbortSignal): Promise<void>;
  /** @throws unless the store has the file */
  open(key: string, range: FileRange): Promise<Readable>;
  /** Does nothing if there is no such file. */
  delete(key: string, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** @param address of MEDIA_STORE @returns null for an empty one */
export async function openFileStore(address: string): Promise<FileStore | null> {
  if (address === '') return null;
  if (address.startsWith('/')) return new FolderStore(address);
  // Without a bucket its client would take memory and time at each start.
  const { BucketStore } = await import('./bucket-store');
  return new BucketStore(new URL(address));
}
