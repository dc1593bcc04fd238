// npm run check: format, types, citations, openers of sentences, promises, import circles and lint (with the module boundaries) of everything.
import { danglingCitations } from '../references/references.mjs';
import { ensureDependencies, run } from '../setup/dependencies.mjs';
import { importCircles } from './circles.mjs';
import { forbiddenOpeners } from './openers.mjs';
import { missingPaths } from './paths.mjs';

process.chdir(new URL('../..', import.meta.url).pathname);
ensureDependencies(console.log);
await import('../build/api-types.mjs');

/** Prints the violations of a check. @returns an exit code */
function report(faults) {
  for (const line of faults) console.error(line);
  return faults.length === 0 ? 0 : 1;
}

const steps = [
  ['format', () => run('prettier', ['--check', '--log-level=warn', '.'])],
  ['types', () => run('tsc', ['-p', 'tsconfig.json'])],
  ['citations', () => report([...danglingCitations(), ...missingPaths()])],
  ['openers', () => report(forbiddenOpeners())],
  ['promises', () => run('eslint', ['--no-inline-config', '-c', 'eslint.typed.config.mjs', 'apps', 'libs', 'e2e'])],
  ['circles', () => report(importCircles())],
  ['lint', () => run('eslint', ['--max-warnings', '0', '.'])],
];
for (const [name, check] of steps) {
  const code = check();
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
  if (code !== 0) process.exit(code);
}
