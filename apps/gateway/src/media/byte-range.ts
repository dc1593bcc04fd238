import type { FileRange } from '@mgw/media';

/**
 * Reads a header `Range` (RFC 9110 §14). Several ranges and other units count as none, as the RFC allows.
 * @returns null for the whole file, `outside` if no byte of the file is in the range
 */
export function byteRange(header: string | undefined, size: number): FileRange | 'outside' | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (from !== '' && to !== '' && Number(to) < first) return null;
  return first <= last ? { first, last } : 'outside';
}
