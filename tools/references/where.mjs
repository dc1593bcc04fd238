// Prints where a section is implemented and proven: npm run where 4.7; also `guarantees 5`, `guarantees D5`, `platform 4.6`, `decision 18`.
// Without an argument it prints the sections of the specification that no code and no test cites.
import { citable, citations } from './references.mjs';

process.chdir(`${import.meta.dirname}/../..`);
const known = citable();
const cited = citations();
const isTest = (file) => /\.spec\.tsx?$|\.fixture\.ts$|^e2e\//.test(file);
const within = (name, section) => name === section || name.startsWith(`${section}.`);

function print(section) {
  console.log(`${section}  ${known.get(section).title}  (${known.get(section).file})`);
  const hits = cited.filter(({ name }) => within(name, section));
  for (const [title, cites] of [
    ['code', hits.filter(({ file }) => !isTest(file))],
    ['tests', hits.filter(({ file }) => isTest(file))],
  ]) {
    console.log(`\n${title}`);
    for (const { file, line, text } of cites) console.log(`  ${file}:${line}  ${text.slice(0, 110)}`);
    if (cites.length === 0) console.log('  none');
  }
}

const words = process.argv.slice(2);
if (words.length === 0) {
  const unclaimed = [...known.keys()].filter((name) => name.startsWith('spec §') && !cited.some((hit) => within(hit.name, name)));
  for (const name of unclaimed) console.log(`${name}  ${known.get(name).title}`);
  console.log(`${unclaimed.length} sections of the specification are cited nowhere.`);
} else {
  const [document, section] = words.length === 1 ? ['spec', words[0]] : words;
  const name = [`${document} §${section}`, `${document} ${section}`].find((candidate) => known.has(candidate));
  if (name) print(name);
  else {
    console.error(
      `No document has a section ${words.join(' ')}. Try: npm run where 4.7, npm run where guarantees D5, npm run where decision 18.`,
    );
    process.exitCode = 1;
  }
}
