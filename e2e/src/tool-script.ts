import { spawnSync, type SpawnSyncOptions } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './stack';

/**
 * Runs a script that uses a module of tools/. Tests are CommonJS and cannot load it.
 * @param names what the script uses of the module
 */
export function runWithTool(
  module: string,
  names: string,
  script: string,
  options: SpawnSyncOptions = {},
): { stdout: string; stderr: string } {
  const text = `import { ${names} } from '${pathToFileURL(join(ROOT, module)).href}';\n${script}`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', text], { ...options, encoding: 'utf8' });
  return { stdout: String(stdout), stderr: String(stderr) };
}
