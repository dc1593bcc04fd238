import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fastify } from 'fastify';
import { PAGES, dashboardRoutes } from './dashboard.routes';

describe('the pages of the dashboard', () => {
  it('are the paths of its router, so that none is served with 404', () => {
    const router = readFileSync(join(__dirname, '../../../dashboard/src/router.tsx'), 'utf8');
    const paths = [...router.matchAll(/(?:path: |page\()'([^']+)'/g)].map(([, path]) => path);
    expect([...PAGES].sort()).toEqual(paths.sort());
  });
});

it('an asset of the dashboard is cached for a year if this replica has it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  mkdirSync(join(folder, 'assets'));
  for (const file of ['index.html', 'assets/index-1.js']) writeFileSync(join(folder, file), 'x');
  const server = fastify();
  await dashboardRoutes(server, folder);
  const cacheControlOf = async (url: string) => (await server.inject(url)).headers['cache-control'];
  expect(await cacheControlOf('/assets/index-1.js')).toBe('public, max-age=31536000, immutable');
  expect(await cacheControlOf('/assets/index-2.js')).toBeUndefined();
  await server.close();
  rmSync(folder, { recursive: true });
});
