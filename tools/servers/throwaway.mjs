// Starts the servers on the command line for tests and prints their addresses as one line of JSON. Stops them and deletes their
// data when standard input closes, so that nothing keeps running however the tests end.
//   node tools/servers/throwaway.mjs postgres nats redis
import { mkdtempSync, rmSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensurePrograms } from './binaries.mjs';
import { startNats, startPostgres, startRedis } from './servers.mjs';

const PROGRAMS = { postgres: ['postgres', 'initdb'], nats: ['nats-server'], redis: ['redis-server'] };
const wanted = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'mgw-servers-'));
chmodSync(dir, 0o755);
const started = [];

async function stop(code) {
  await Promise.all(started.map((server) => server.stop()));
  rmSync(dir, { recursive: true, force: true });
  process.exit(code);
}
process.stdin.resume().once('end', () => void stop(0));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop(0));

try {
  ensurePrograms(
    wanted.flatMap((name) => PROGRAMS[name]),
    (line) => console.error(line),
  );
  const start = {
    postgres: () => startPostgres({ dir: join(dir, 'postgres'), durable: false }),
    nats: () => startNats({ dir: join(dir, 'nats') }),
    redis: () => startRedis(),
  };
  const addresses = {};
  await Promise.all(
    wanted.map(async (name) => {
      const server = await start[name]();
      started.push(server);
      addresses[name] = { url: server.url, port: server.port, pid: server.process.pid };
    }),
  );
  console.log(JSON.stringify(addresses));
} catch (error) {
  console.error(error.message);
  await stop(1);
}
