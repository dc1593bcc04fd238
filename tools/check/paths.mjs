// Every path of the repository that a document names must exist, so that documents follow moved files.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const PATH = /`((?:apps|libs|e2e|tools|deploy|docs)\/[\w./-]+)`/g;

/** @returns one line for each path that does not exist */
export function missingPaths() {
  const files = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(PATH)]
      .filter(([, path]) => !existsSync(path))
      .map(([, path]) => `${file}: ${path} does not exist`),
  );
}
