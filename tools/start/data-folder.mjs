// The data of the local stack names its layout, so that a start recognises data that it cannot read.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Change it whenever this version cannot continue with the data of the previous one. */
const LAYOUT = '1.0';

/** Creates the folder. Moves a folder with data of another layout aside first, and prints where it is. */
export function prepareDataFolder(dir, say) {
  const file = join(dir, 'layout');
  const layout = existsSync(file) ? readFileSync(file, 'utf8').trim() : null;
  const holdsData = existsSync(join(dir, 'postgres')) || existsSync(join(dir, 'secrets.json'));
  if (holdsData && layout !== LAYOUT) {
    const aside = `${dir}-old-${new Date().toISOString().slice(0, 19).replaceAll(':', '').replace('T', '-')}`;
    renameSync(dir, aside);
    say(`${basename(dir)} holds data of another version: moved it to ${basename(aside)}, starting with empty data`);
  }
  mkdirSync(dir, { recursive: true, mode: 0o755 });
  writeFileSync(file, `${LAYOUT}\n`);
}
