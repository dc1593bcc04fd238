import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const REFUSED: Record<string, [text: string, ...lines: number[]]> = {
  'comments.ts': ['/** Or has been. */\nconst a = 1;\n// Fine. As a rule it waits.\n', 1, 3],
  'tags.ts': ['/**\n * Sends.\n * @returns Whose it is\n */\nfunction f() {\n  f();\n  // Whoever calls\n}\n', 3, 7],
  'element.tsx': ['export const a = <p>{/* What is shown. */}</p>;\n', 1],
  'code.mjs': ['run(); // Of the first one\n', 1],
  'style.css': ["a {\n  /* Another's colour */\n}\n", 2],
  'migration.ts': ['const a = `\n-- Of a column,\n-- and more\n${b}\n-- It ends. Who reads it\n`;\n', 2, 5],
  'query.sql': ['SELECT 1; -- Where it is\n', 1],
  'run.sh': ['#!/bin/sh\nrun # As it is\n# Where nothing runs\n', 3],
  '.env.example': ['# Where it goes\nA=1\n# B=Of it\n', 1],
  Dockerfile: ['FROM a\n# What runs\n', 2],
  'page.md': ['It ends. Who reads it\nknows. Whoever writes\n\n- Of a list\n\n| A |\n| --- |\n| What it is |\n', 1, 1, 4, 8],
};
const ACCEPTED = {
  'literals.ts':
    "const a = ['// Of a string', /\\/\\* Of/, `\n-- A query\n// Of it\n`];\n/** Sends as asked, or not. @param what `Of` */\n",
  'soon.ts': '// As soon as it ends, it starts again.\n',
  'element.tsx': 'export const a = <p>What is shown // Of it</p>;\n',
  'page.md': '# What runs\n\n| What it is |\n| --- |\n| text |\n\n```sh\n# Of code\n```\n',
};

describe('tools/check/openers.mjs (docs/writing.md)', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'openers-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const check = (texts: Record<string, string>) => {
    const files = Object.entries(texts).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const options = { cwd: join(__dirname, '../..'), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(process.execPath, ['tools/check/openers.mjs', ...files], options);
    return { status, faults: [...stderr.matchAll(/([\w.]+:\d+): /g)].map(([, place]) => place) };
  };

  it('refuses comments and sentences that begin with an excluded word', () => {
    const texts = Object.fromEntries(Object.entries(REFUSED).map(([name, [text]]) => [name, text]));
    const faults = Object.entries(REFUSED).flatMap(([name, [, ...lines]]) => lines.map((line) => `${name}:${line}`));
    expect(check(texts)).toEqual({ status: 1, faults });
  });

  it('accepts them in literals, headings, heads of tables and blocks of code', () => {
    expect(check(ACCEPTED)).toEqual({ status: 0, faults: [] });
  });
});
