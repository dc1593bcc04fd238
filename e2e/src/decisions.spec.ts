import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('tools/check/decisions.mjs', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'decisions-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const README = '| File | About |\n| --- | --- |\n| [a.md](a.md)   | 1–3, 12: sends |\n| [b.md](b.md) | 4–9: files |\n';
  const check = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries({ 'README.md': README, ...files })) writeFileSync(join(folder, name), text);
    const options = { cwd: join(__dirname, '../..'), encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(process.execPath, ['tools/check/decisions.mjs', folder], options);
    return { status, faults: stderr.replaceAll(`${folder}/`, '').split('\n').filter(Boolean) };
  };

  it('accepts numbers that exist once, and ranges with numbers that are still free', () => {
    const files = { 'a.md': '- **1.** One.\n- **12.** See **1.**\n', 'b.md': '- **4.** Four.\n- **4b.** More.\n' };
    expect(check(files)).toEqual({ status: 0, faults: [] });
  });

  it('refuses a number that exists twice', () => {
    expect(check({ 'a.md': '- **1.** One.\n- **2.** Two.\n- **2.** Two.\n', 'b.md': '- **4.** Four.\n- **1.** One.\n' })).toEqual({
      status: 1,
      faults: ['a.md: decision 2 is also in a.md', 'b.md: decision 1 is also in a.md'],
    });
  });

  it('refuses a number in no range, in the ranges of another file, or in two ranges', () => {
    const readme = `${README}| [c.md](c.md) | 3, 20–22: tables |\n`;
    expect(check({ 'README.md': readme, 'a.md': '- **3.** Three.\n- **4.** Four.\n- **13.** More.\n' })).toEqual({
      status: 1,
      faults: [
        'README.md: decision 3 must be once in the row of a.md; it is in: a.md, c.md',
        'README.md: decision 4 must be once in the row of a.md; it is in: b.md',
        'README.md: decision 13 must be once in the row of a.md; it is in: no row',
      ],
    });
  });
});
