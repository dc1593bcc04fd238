// The entry of every image: [main|migrate|create-operator|dead-letters] [arguments]. ENV_FILE may name a file of variables, for stacks that make
// their secrets at the first start. The images hold no shell.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const { APP, ENV_FILE } = process.env;
if (ENV_FILE) process.loadEnvFile(ENV_FILE);
const [node, , program = 'main', ...given] = process.argv;
const file = resolve('dist/apps', APP, 'src', `${program}.js`);
process.argv = [node, file, ...given];
await import(pathToFileURL(file).href);
