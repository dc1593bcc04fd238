// Each decision has a number of its own, and one range of docs/decisions/README.md has it. node tools/check/decisions.mjs [folder]
import { readFileSync, readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** The start of a decision; a letter distinguishes those that share a number, such as 29 and 29b. */
const DECISION = /^- \*\*(\d+)([a-z]?)\.\*\* /gm;
/** A row of the README: a file and its ranges, such as `101–130, 241`. */
const ROW = /^\| \[([\w-]+\.md)\]\([^)]*\) *\| ([\d–, ]+): /gm;

/** @returns {{ file: string, first: number, last: number }[]} */
function rangesIn(readme) {
  return [...readme.matchAll(ROW)].flatMap(([, file, ranges]) =>
    ranges.split(', ').map((range) => {
      const [first, last = first] = range.split('–').map(Number);
      return { file, first, last };
    }),
  );
}

/** @returns {string[]} one line for each decision whose number is not unique, or that is not in one range of its file */
export function misnumberedDecisions(folder = 'docs/decisions') {
  const read = (name) => readFileSync(`${folder}/${name}`, 'utf8');
  const ranges = rangesIn(read('README.md'));
  const known = new Map();
  const faults = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')) {
    for (const [, number, letter] of read(file).matchAll(DECISION)) {
      const id = number + letter;
      const rows = ranges.filter(({ first, last }) => first <= Number(number) && Number(number) <= last).map((range) => range.file);
      if (known.has(id)) faults.push(`${folder}/${file}: decision ${id} is also in ${known.get(id)}`);
      else if (rows.join() !== file)
        faults.push(`${folder}/README.md: decision ${id} must be once in the row of ${file}; it is in: ${rows.join(', ') || 'no row'}`);
      known.set(id, file);
    }
  }
  return faults;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const faults = misnumberedDecisions(process.argv[2]);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
