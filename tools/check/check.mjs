// npm run check: format, types, citations, openers of sentences, promises, import circles and lint (with the module boundaries) of everything.
import { ensureDependencies, run } from '../setup/dependencies.mjs';

process.chdir(new URL('../..', import.meta.url).pathname);
ensureDependencies(console.log);
// The checks import packages, which a clean clone has only now.
const { danglingCitations } = await import('../references/references.mjs');
const { importCircles } = await import('./circles.mjs');
const { forbiddenOpeners } = await import('./openers.mjs');
const { missingPaths } = await import('./paths.mjs');
await import('../build/api-types.mjs');

/** Prints the violations of a check. @returns an exit code */
function report(faults) {
  for (const line of faults) console.error(line);
  return faults.length === 0 ? 0 : 1;
}

/** The rule of the module boundaries reads the project graph that nx last stored, and passes everything without one. */
function updateProjectGraph() {
  return run('nx', ['show', 'projects'], { quiet: true });
}

const steps = [
  ['format', () => run('prettier', ['--check', '--log-level=warn', '.'])],
  ['types', () => run('tsc', ['-p', 'tsconfig.json'])],
  ['citations', () => report([...danglingCitations(), ...missingPaths()])],
  ['openers', () => report(forbiddenOpeners())],
  ['promises', () => run('eslint', ['--no-inline-config', '-c', 'eslint.typed.config.mjs', 'apps', 'libs', 'e2e'])],
  ['circles', () => report(importCircles())],
  ['lint', () => updateProjectGraph() || run('eslint', ['--max-warnings', '0', '.'])],
];
for (const [name, check] of steps) {
  const code = check();
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
  if (code !== 0) process.exit(code);
}
