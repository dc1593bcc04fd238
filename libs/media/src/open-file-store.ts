import type { FileStore } from './file-store';
import { FolderStore } from './folder-store';

/** @param address of MEDIA_STORE @returns null for an empty one */
export async function openFileStore(address: string): Promise<FileStore | null> {
  if (address === '') return null;
  if (address.startsWith('/')) return new FolderStore(address);
  // Loading the client of buckets takes memory and time, which a start without a bucket saves.
  const { BucketStore } = await import('./bucket-store');
  return new BucketStore(new URL(address));
}
