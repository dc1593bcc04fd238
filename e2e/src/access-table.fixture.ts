import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** The rights of one app; see tools/access/services.mjs. */
export interface ServiceAccess {
  schema: string;
  calls: Record<string, string[]>;
  announces: string[];
  listens: string[];
  publishes: string[];
  consumes: Record<string, string>;
  tails: string[];
}

const table = spawnSync(
  process.execPath,
  ['--input-type=module', '-e', `import * as table from './tools/access/services.mjs'; console.log(JSON.stringify(table))`],
  { cwd: join(__dirname, '../..'), encoding: 'utf8' },
).stdout;

/** Rights on the servers by app name. */
export const ACCESS = JSON.parse(table) as { SERVICES: Record<string, ServiceAccess>; STREAMS: string[] };
