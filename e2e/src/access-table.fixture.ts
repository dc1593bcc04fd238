import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** As tools/access/services.mjs describes it. */
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

/** Who may do what on the servers, by name of the app. */
export const ACCESS = JSON.parse(table) as { SERVICES: Record<string, ServiceAccess>; STREAMS: string[] };
