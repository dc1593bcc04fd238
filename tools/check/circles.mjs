// Circles of imports between source files, type imports included: in a circle no file can be understood before the others.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import ts from 'typescript';

const SOURCE = /\.(ts|tsx|mjs)$/;

/** Source files under version control and new ones, relative to the repository. */
function sourceFiles() {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', 'apps', 'libs', 'e2e', 'tools'], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  return stdout.split('\n').filter((path) => SOURCE.test(path) && existsSync(path));
}

/** @returns the file that an import names, undefined for packages */
function resolve(from, name, files) {
  const base = name.startsWith('.') ? join(dirname(from), name) : name.startsWith('@mgw/') ? `libs/${name.slice(5)}/src/index` : undefined;
  if (base === undefined) return undefined;
  return [base, `${base}.ts`, `${base}.tsx`, `${base}/index.ts`, `${base}/index.tsx`].find((path) => files.has(path));
}

/** Finds circles by Tarjan's algorithm. @returns groups of files that import each other */
function circles(graph) {
  const found = [];
  const order = new Map();
  const low = new Map();
  const stack = [];
  const visit = (node) => {
    order.set(node, order.size);
    low.set(node, order.get(node));
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next);
      if (stack.includes(next)) low.set(node, Math.min(low.get(node), low.get(next)));
    }
    if (low.get(node) !== order.get(node)) return;
    const group = stack.splice(stack.indexOf(node));
    if (group.length > 1 || graph.get(node)?.includes(node)) found.push(group);
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return found;
}

/** @returns one line for each circle */
export function importCircles() {
  const files = new Set(sourceFiles());
  const graph = new Map();
  for (const file of files) {
    const { importedFiles } = ts.preProcessFile(readFileSync(file, 'utf8'), true, true);
    graph.set(
      file,
      importedFiles.map(({ fileName }) => resolve(file, fileName, files)).filter((path) => path !== undefined),
    );
  }
  return circles(graph).map((group) => `import circle: ${group.sort().join(' ↔ ')}`);
}
