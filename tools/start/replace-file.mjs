import { renameSync, writeFileSync } from 'node:fs';

/** Replaces a file at once: readers, and the next start after a crash, find the old text or the new one. */
export function replaceFile(file, text) {
  writeFileSync(`${file}.new`, text, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}
