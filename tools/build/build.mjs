// Compiles one project's TypeScript to dist/, keeping its place in the tree: node tools/build/build.mjs apps/send
// SWC turns `@mgw/name` into relative paths (.swcrc), so that the output needs no resolver.
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformSync } from '@swc/core';

const project = process.argv[2];
if (!project || !existsSync(join(project, 'src'))) {
  console.error('usage: node tools/build/build.mjs <project folder>');
  process.exit(2);
}
const options = JSON.parse(readFileSync('.swcrc', 'utf8'));
delete options.$schema;
options.jsc.baseUrl = process.cwd();
const source = join(project, 'src');
const target = join('dist', source);
rmSync(target, { recursive: true, force: true });
for (const entry of readdirSync(source, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const file = join(entry.parentPath, entry.name);
  const out = join('dist', file);
  mkdirSync(dirname(out), { recursive: true });
  if (!/\.ts$/.test(file)) cpSync(file, out);
  else if (!/\.(spec|fixture|d)\.ts$/.test(file)) {
    const js = out.replace(/\.ts$/, '.js');
    const { code, map } = transformSync(readFileSync(file, 'utf8'), { ...options, filename: join(process.cwd(), file), swcrc: false });
    writeFileSync(js, `${code}\n//# sourceMappingURL=${entry.name.replace(/\.ts$/, '.js.map')}\n`);
    writeFileSync(`${js}.map`, map ?? '');
  }
}
