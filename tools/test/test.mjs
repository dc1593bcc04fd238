// npm test: installs, builds, starts throwaway servers and runs all tests, also from a fresh clone. Ends with the line
// `N passed, N failed`. Arguments go to jest: npm test -- apps/send
import { ensureDependencies, ensureNode, run } from '../setup/dependencies.mjs';

const log = (line) => console.log(`▸ ${line}`);
process.chdir(new URL('../..', import.meta.url).pathname);
try {
  ensureNode();
  ensureDependencies(log);
  log('building');
  if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0) throw new Error('the build failed: see above');
  log('testing');
  process.exitCode = run('jest', process.argv.slice(2), { env: { NODE_ENV: 'test' } });
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
