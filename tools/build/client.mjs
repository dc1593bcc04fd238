// Builds the client library as an npm package: node client.mjs [folder, default dist/client].
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import './api-types.mjs';
import { run, TSC } from '../setup/dependencies.mjs';

const out = process.argv[2] ?? 'dist/client';
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const options = [
  '--outDir',
  out,
  '--declaration',
  '--noEmit',
  'false',
  '--target',
  'ES2022',
  '--module',
  'CommonJS',
  '--moduleResolution',
  'Bundler',
];
const more = ['--esModuleInterop', '--strict', '--skipLibCheck', '--types', 'node', '--rootDir', 'libs/client/src'];
if (run(TSC, ['--ignoreConfig', 'libs/client/src/index.ts', ...options, ...more]) !== 0) process.exit(1);
for (const name of ['package.json', 'README.md']) cpSync(`libs/client/${name}`, `${out}/${name}`);
cpSync('libs/client/src/schema.d.ts', `${out}/schema.d.ts`);
// One copy of the code for both kinds of modules, so that `instanceof` holds in a program that loads it as both.
writeFileSync(`${out}/index.mjs`, "export * from './index.js';\n");
writeFileSync(`${out}/index.d.mts`, "export * from './index.js';\n");
