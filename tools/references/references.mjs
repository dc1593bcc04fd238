// Citations of the specification, guarantees, platform facts and decisions: their targets, and the lines that cite them.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';

const SOURCES = /\.(ts|tsx|mjs|cjs|js|sql|sh|yaml|yml|conf|tpl)$/;
const DOCUMENTS = { spec: 'docs/specification.md', guarantees: 'docs/guarantees.md', platform: 'docs/platform.md' };

/** @returns {Map<string, { title: string, file: string }>} everything that may be cited, by its name: `spec §4.7`, `guarantees D5`, `decision 18`; a decision's title is its whole text */
export function citable() {
  const found = new Map();
  for (const [word, file] of Object.entries(DOCUMENTS)) addSections(found, word, file);
  for (const name of readdirSync('docs/decisions')) addDecisions(found, `docs/decisions/${name}`);
  return found;
}

function addSections(found, word, file) {
  let section = '';
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const heading = /^#{2,3} ([\d.]*\d)\.? (.+)$/.exec(line);
    const item = /^(\d+)\. (.+)$/.exec(line);
    const row = /^\| ([A-Z]\d+) +\| +([^|]+?) +\|/.exec(line);
    if (heading) found.set(`${word} §${(section = heading[1])}`, { title: heading[2], file });
    else if (item && section && !section.includes('.')) found.set(`${word} §${section}.${item[1]}`, { title: item[2], file });
    else if (row) found.set(`${word} ${row[1]}`, { title: row[2], file });
  }
}

function addDecisions(found, file) {
  for (const [, id, text] of readFileSync(file, 'utf8').matchAll(/^- \*\*(\d+[a-z]?)\.\*\* (.+(?:\n {2,}.+)*)/gm))
    found.set(`decision ${id}`, { title: text.replace(/\s*\n\s+/g, ' '), file });
}

/** @returns {{ name: string, file: string, line: number, text: string }[]} every citation in the tracked sources */
export function citations() {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' }).split('\n');
  return files.filter((file) => SOURCES.test(file) && !file.startsWith('tools/references/')).flatMap(citationsIn);
}

function citationsIn(file) {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((text, i) => namesIn(text).map((name) => ({ name, file, line: i + 1, text: text.trim() })));
}

/** @returns the names that a line cites; `spec §3.2, §7` are two, and so are `decisions 12 and 13` */
function namesIn(text) {
  const sections = /\b(spec|guarantees|platform) ((?:§\d+(?:\.\d+)*|[SDN]\d+)(?:(?:,| and|, and) (?:§\d+(?:\.\d+)*|[SDN]\d+\b))*)/gi;
  const decisions = /\bdecisions? (\d+[a-z]?(?:(?:,| and|, and) \d+[a-z]?)*)\b/gi;
  return [
    ...[...text.matchAll(sections)].flatMap(([, word, list]) =>
      list.split(/, and |, | and /).map((part) => `${word.toLowerCase()} ${part}`),
    ),
    ...[...text.matchAll(decisions)].flatMap(([, list]) => list.split(/, and |, | and /).map((part) => `decision ${part}`)),
  ];
}

/** @returns one line for each citation of a section, guarantee or decision that does not exist */
export function danglingCitations() {
  const known = citable();
  return citations()
    .filter(({ name }) => !known.has(name))
    .map(({ name, file, line }) => `${file}:${line}: ${name} does not exist`);
}
