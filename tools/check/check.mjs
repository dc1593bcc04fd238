// npm run check: format, types and lint (with the module boundaries) of everything.
import { ensureDependencies, run } from '../setup/dependencies.mjs';

process.chdir(new URL('../..', import.meta.url).pathname);
ensureDependencies(console.log);
await import('../build/api-types.mjs');
const steps = [
  ['format', 'prettier', ['--check', '--log-level=warn', '.']],
  ['types', 'tsc', ['-p', 'tsconfig.json']],
  ['lint', 'nx', ['run-many', '-t', 'lint', '--outputStyle=static']],
];
for (const [name, program, args] of steps) {
  const code = run(program, args);
  console.log(`${code === 0 ? '✓' : '✗'} ${name}`);
  if (code !== 0) process.exit(code);
}
