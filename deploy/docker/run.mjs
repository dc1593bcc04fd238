// The entry of every image: [start|migrate|dead-letters|create-operator …]; start is the default. ENV_FILE may name a file of variables,
// for stacks that create their secrets at the first start; with `{service}` in its path the app reads a file for each of its services. The
// images hold no shell.
import { runMain } from 'node:module';
import { resolve } from 'node:path';

const { APP, ENV_FILE } = process.env;
if (ENV_FILE && !ENV_FILE.includes('{service}')) {
  try {
    process.loadEnvFile(ENV_FILE);
  } catch ({ message }) {
    console.error(`ENV_FILE cannot be read: ${message}`);
    process.exit(1);
  }
}
process.argv[1] = resolve('dist/apps', APP, 'src/main.js');
runMain();
