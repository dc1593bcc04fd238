import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Allows scripts of this origin only. Mantine writes style tags. */
const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; connect-src 'self'; " +
  "frame-ancestors 'none'; base-uri 'none'; form-action 'self'; object-src 'none'";
/** Paths that the dashboard's own router handles (apps/dashboard/src/router.tsx). */
export const PAGES = [
  '/',
  '/login',
  '/password',
  '/account',
  '/audit',
  '/messages',
  '/events',
  '/inbox',
  '/templates',
  '/broadcasts',
  '/webhooks',
  '/api-keys',
  '/auto-reply',
  '/usage',
  '/requests',
  '/settings',
  '/settings/connection',
  '/people',
  '/operator',
  '/operator/audit',
  '/operator/dead-letters',
  '/operator/rate-card',
  '/operator/business',
];
const YEAR_MS = 31_536_000_000;
/** The build puts the dashboard next to the gateway. */
const FOLDER = join(__dirname, '../../../dashboard');

/** Serves the dashboard. Asset names contain a hash, so assets are immutable; the page that names them is always revalidated. */
export async function dashboardRoutes(server: FastifyInstance, folder = FOLDER): Promise<void> {
  if (!existsSync(join(folder, 'assets'))) return;
  await server.register(fastifyStatic, { root: folder, serve: false, preCompressed: true, cacheControl: false, etag: false });
  const page = (_: FastifyRequest, reply: FastifyReply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache', 'referrer-policy': 'same-origin' })
      .sendFile('index.html');
  for (const path of PAGES) server.get(path, page);
  // A browser gets the dashboard's page for an unknown path instead of JSON.
  server.addHook('onRequest', (request, reply, done) => {
    const { is404, method, url, headers } = request;
    const isPage = is404 && method === 'GET' && headers.accept?.includes('text/html') && !/^\/(api|docs)\//.test(url);
    if (isPage) void page(request, reply.status(404));
    else done();
  });
  server.get('/icon.svg', (_, reply) => reply.header('cache-control', 'public, max-age=86400').sendFile('icon.svg'));
  server.get<{ Params: { file: string } }>('/assets/:file', (request, reply) =>
    // The options leave a 404 uncached: during an upgrade, a replica of the other version may have the file.
    reply.sendFile(join('assets', request.params.file), { cacheControl: true, maxAge: YEAR_MS, immutable: true }),
  );
}
