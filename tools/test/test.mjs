// npm test: installs, builds, starts throwaway servers and runs all tests, even from a fresh clone. Ends with the line
// `N passed, N failed`. Arguments go to jest: npm test -- apps/send
import { ensurePrograms, findProgram, SERVERS, TEST_PROGRAMS } from '../servers/binaries.mjs';
import { ensureDependencies, ensureNode, run } from '../setup/dependencies.mjs';

const log = (line) => console.log(`▸ ${line}`);
try {
  ensureNode();
  process.chdir(`${import.meta.dirname}/../..`);
  ensureDependencies(log);
  // Before the tests, because an installation takes longer than a test may wait.
  const jestArguments = process.argv.slice(2);
  const programs = jestArguments.length === 0 ? TEST_PROGRAMS : SERVERS;
  ensurePrograms(programs, log);
  log('building');
  if (run('nx', ['run-many', '-t', 'build', '--outputStyle=static'], { quiet: true }) !== 0) throw new Error('the build failed: see above');
  log('testing');
  const found = Object.fromEntries(programs.map((name) => [name, findProgram(name)]));
  // Specs make many objects that live shortly: with more room for those, their workers need up to a tenth less time.
  const nodeFlags = ['--max-semi-space-size=64'];
  process.exitCode = run('jest', jestArguments, { env: { NODE_ENV: 'test', TEST_PROGRAMS: JSON.stringify(found) }, nodeFlags });
} catch (error) {
  console.error(error.message);
  console.log('0 passed, 1 failed');
  process.exitCode = 1;
}
