import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const APPS = join(__dirname, '../../../apps');
const sourcesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');

/** One-time passwords, which live for a day. */
const SHORT_LIVED = ['otp_sealed'];

describe('decision 712: stored secrets', () => {
  const apps = readdirSync(APPS).filter((app) => existsSync(join(APPS, app, 'src/migrations')));
  const sealed = (app: string) =>
    [...sourcesIn(join(APPS, app, 'src/migrations')).matchAll(/\b(\w+_sealed) text/g)].map(([, name = '']) => name);

  it.each(apps.filter((app) => sealed(app).length > 0))('%s seals every sealed column again', (app) => {
    const module = sourcesIn(join(APPS, app, 'src'));
    const missing = sealed(app).filter((name) => !module.includes(`'${name}'`) && !SHORT_LIVED.includes(name));
    expect([module.includes('storedSecrets('), missing]).toEqual([true, []]);
  });
});
