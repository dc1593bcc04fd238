// npm test: everything from a fresh clone. Installs, builds, starts throwaway servers, runs all tests, and ends with the
// line `N passed, N failed`. Arguments go to jest: npm test -- apps/send
import { ensureDependencies, ensureNode, run } from '../setup/dependencies.mjs';

const say = (line) => console.log(`▸ ${line}`);
process.chdir(new URL('../..', import.meta.url).pathname);
try {
  ensureNode();
  ensureDependencies(say);
  say('building');
  if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0) throw new Error('the build failed: see above');
  say('testing');
  process.exitCode = run('jest', process.argv.slice(2), { env: { NODE_ENV: 'test' } });
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
