import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { poolOptions } from './options';

const OPERATIONS = readFileSync(join(__dirname, '../../../docs/operations.md'), 'utf8');

describe('docs/operations.md: PgBouncer', () => {
  const paragraph = OPERATIONS.slice(OPERATIONS.indexOf('You need no pooler:')).split('\n\n')[0] ?? '';
  const { options = '', ...main } = poolOptions({ url: 'postgresql://127.0.0.1/x', schema: 'x' });

  it('names each setting of a connection that PgBouncer ignores', () => {
    const limits = (['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const).map(
      (name) => `${name} = '${Number(main[name]) / 1_000}s'`,
    );
    const settings = [...options.matchAll(/-c (\w+)=(\w+)/g)].map(([, name = '']) => name);
    expect(settings.length).toBeGreaterThan(6);
    expect([...limits, ...settings].filter((name) => !paragraph.includes(name))).toEqual([]);
  });
});
