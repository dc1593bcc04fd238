// npm run check: format, types, citations, numbers of decisions, openers of sentences, promises, import circles and lint (with the module boundaries) of everything.
import { spawn } from 'node:child_process';
import { ensureDependencies, run, TSC } from '../setup/dependencies.mjs';

process.chdir(`${import.meta.dirname}/../..`);
ensureDependencies(console.log);
// The checks import packages, which a clean clone has only now.
const { danglingCitations } = await import('../references/references.mjs');
const { importCircles } = await import('./circles.mjs');
const { misnumberedDecisions } = await import('./decisions.mjs');
const { forbiddenOpeners } = await import('./openers.mjs');
const { missingPaths } = await import('./paths.mjs');
await import('../build/api-types.mjs');

/** Runs a program of the project's packages while the others run. @returns its exit code and its output */
function start(program, ...args) {
  const child = spawn(`node_modules/.bin/${program}`, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

const report = (faults) => ({ code: faults.length === 0 ? 0 : 1, output: faults.map((line) => `${line}\n`).join('') });

// The rule of the module boundaries reads the project graph that nx last stored, and passes everything without one.
if (run('nx', ['show', 'projects'], { quiet: true }) !== 0) process.exit(1);
/** The longest first. */
const steps = [
  ['lint', () => start('eslint', '--max-warnings', '0', '.')],
  ['promises', () => start('oxlint', '--type-aware', 'apps', 'libs', 'e2e')],
  ['types', () => start(TSC, '-p', 'tsconfig.json')],
  ['types of the dashboard', () => start(TSC, '-p', 'apps/dashboard/tsconfig.json')],
  ['format', () => start('oxfmt', '--check')],
  ['citations', () => report([...danglingCitations(), ...missingPaths(), ...misnumberedDecisions()])],
  ['openers', () => report(forbiddenOpeners())],
  ['circles', () => report(importCircles())],
];
/** Each program uses one core. */
async function runSteps() {
  for (let step = steps.shift(); step; step = steps.shift()) {
    const [name, check] = step;
    const { code, output } = await check();
    console.log(`${output}${code === 0 ? '✓' : '✗'} ${name}`);
    if (code === 0) continue;
    process.exitCode = 1;
    steps.length = 0;
  }
}
await Promise.all([runSteps(), runSteps()]);
