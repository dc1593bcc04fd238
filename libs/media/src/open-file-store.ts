import type { FileStore } from './file-store';
import { FolderStore } from './folder-store';

/** @param address of MEDIA_STORE @returns null for an empty one */
export async function openFileStore(address: string): Promise<FileStore | null> {
  if (address === '') return null;
  if (address.startsWith('/')) return new FolderStore(address);
  // Without a bucket its client would take memory and time at each start.
  const { BucketStore } = await import('./bucket-store');
  return new BucketStore(new URL(address));
}
