import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PAGES } from './dashboard.routes';

describe('the pages of the dashboard', () => {
  it('are the paths of its router, so that none is served with 404', () => {
    const router = readFileSync(join(__dirname, '../../../dashboard/src/router.tsx'), 'utf8');
    const paths = [...router.matchAll(/(?:path: |page\()'([^']+)'/g)].map(([, path]) => path);
    expect([...PAGES].sort()).toEqual(paths.sort());
  });
});
