// Every path of the repository that a document names must exist, so that documents follow moved files.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A quoted path, or one of a file anywhere, such as in a command. */
const PATH = /`((?:apps|libs|e2e|tools|deploy|docs)\/[\w./-]+)`|(?<![\w./<-])((?:apps|libs|e2e|tools|deploy|docs)\/[\w./-]+\.\w+)/g;

/** @returns one line for each path that does not exist */
export function missingPaths() {
  const files = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).split('\n').filter(Boolean);
  return files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(PATH)]
      .map(([, quoted, path = quoted]) => path)
      .filter((path) => !existsSync(path))
      .map((path) => `${file}: ${path} does not exist`),
  );
}
