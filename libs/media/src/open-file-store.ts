import type { FileStore } from './file-store';
import { FolderStore } from './folder-store';

/**
 * @param address of MEDIA_STORE
 * @param onProblem called if the folder is missing or not writable; the start does not wait for it, because a network folder may hang
 * @returns null for an empty address
 */
export async function openFileStore(address: string, onProblem: (error: unknown) => void): Promise<FileStore | null> {
  if (address === '') return null;
  if (address.startsWith('/')) {
    const store = new FolderStore(address);
    void store.check().catch(onProblem);
    return store;
  }
  // Loading the client of buckets takes memory and time, which a start without a bucket saves.
  const { BucketStore } = await import('./bucket-store');
  return new BucketStore(new URL(address));
}
