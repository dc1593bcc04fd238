// Generates deploy/nats/users.conf from the table of rights: node generate.mjs [--write]. Without --write, checks that they agree.
import { readFileSync, writeFileSync } from 'node:fs';
import { natsUsers } from './nats.mjs';

process.chdir(`${import.meta.dirname}/../..`);
const FILE = 'deploy/nats/users.conf';

if (process.argv.includes('--write')) writeFileSync(FILE, natsUsers());
else if (readFileSync(FILE, 'utf8') !== natsUsers()) {
  console.error(`${FILE} differs from tools/access/services.mjs. Run: node tools/access/generate.mjs --write`);
  process.exit(1);
}
