// Refuses comments that begin with a word which makes the reader look for the subject; see docs/writing.md.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const SOURCES = /\.(ts|tsx|mjs|cjs|js|sql|sh|yaml|yml|css|conf|tpl)$|Dockerfile$/;
const OPENER = /^\s*(\/\*\*|\*|\/\/|#|--) ?(Of|What|Who|Whose|Whoever|Or|Another's)\b/;

/** @returns one line for each comment with such an opener */
export function unclearComments() {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n');
  return files
    .filter((file) => SOURCES.test(file))
    .flatMap((file) => {
      const lines = readFileSync(file, 'utf8').split('\n');
      return lines.flatMap((line, i) => (OPENER.test(line) ? [`${file}:${i + 1}: ${line.trim().slice(0, 100)}`] : []));
    });
}
