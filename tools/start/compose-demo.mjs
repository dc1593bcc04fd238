// Creates the demo businesses of a docker compose stack through the public API when everything is ready. node compose-demo.mjs <folder>
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { demoPage } from './page.mjs';
import { replaceFile } from './replace-file.mjs';
import { readSecrets } from './secrets.mjs';
import { seedDemo } from './seed.mjs';

if (process.env.NODE_ENV === 'production') {
  console.log('In production no demo is created. docs/guides.md#going-live shows how to create an operator and a business.');
  process.exit();
}
const dir = process.argv[2];
const began = Date.now();
const stack = {
  dir,
  siteUrl: process.env.SITE_URL,
  simulatorUrl: process.env.SIMULATOR_URL,
  secrets: readSecrets(dir),
  async command(app, file, args, env) {
    const done = spawnSync(process.execPath, [`dist/apps/${app}/src/${file}.js`, ...args], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    if (done.status !== 0) throw new Error(done.stderr.trim().split('\n').pop());
  },
};
const demo = await seedDemo(stack);
const outside = { base_url: 'http://127.0.0.1:8080/api/v1', site_url: 'http://127.0.0.1:8080', dashboard_url: 'http://127.0.0.1:8080' };
const shown = { ...demo, ...outside, simulator_url: 'http://127.0.0.1:8090' };
replaceFile(join(dir, 'demo.json'), `${JSON.stringify(shown, null, 2)}\n`);
console.log(
  demoPage(shown, {
    seconds: ((Date.now() - began) / 1000).toFixed(1),
    stop: "docker compose --profile '*' down",
    kept: 'the data stays for the next start, but the simulator starts empty',
    more: "The services' log is shown by docker compose logs",
  }),
);
