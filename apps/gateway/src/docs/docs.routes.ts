import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS_PATH } from '../errors/help-link';
import { documentText, DOCUMENTS, guideText, ROOT } from './documents';
import { errorPages, type ApiDocument } from './error-pages';
import { ASSETS, htmlPage, llmsText } from './pages';

/** Pages run scripts of this origin only, and load nothing from elsewhere. Scalar writes style tags. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** Documents change with the gateway's version only; the gateway may be behind a cache. In seconds. */
const DOCUMENT_AGE = 300;
const ASSET_AGE = 3_600;
/** The server that the Postman collection of the repository names. */
const LOCAL_URL = 'http://localhost:8080';
/** Scalar's bundle when the gateway runs from source; the build copies it to the assets (tools/build/reference.mjs). */
const PACKAGE = join(ROOT, 'node_modules/@scalar/fastify-api-reference/dist/js');

/** The API's document in its forms, the guides, and the pages to read and try it. Nothing comes from a CDN (decision 275). */
export function docsRoutes(server: FastifyInstance, document: object, publicUrl: string): void {
  // One buffer for all readers: a copy for each slow reader would be half a megabyte.
  const send = (reply: FastifyReply, type: string, body: Buffer, caching = `public, max-age=${DOCUMENT_AGE}`) =>
    reply.type(`${type}; charset=utf-8`).headers({ 'content-security-policy': POLICY, 'cache-control': caching }).send(body);
  const text = (path: string, type: string, body: string) => {
    const bytes = Buffer.from(body);
    server.get(path, (_request, reply) => send(reply, type, bytes));
  };

  text('/docs', 'text/html', htmlPage('/docs', 'API reference', 'reference.html'));
  void server.register(fastifyStatic, {
    root: [ASSETS, PACKAGE].filter(existsSync),
    prefix: '/docs/assets/',
    allowedPath: (path) => /\.(js|css)$/.test(path),
    preCompressed: true,
    decorateReply: false,
    maxAge: ASSET_AGE * 1_000,
  });
  const json = Buffer.from(JSON.stringify(document));
  server.get('/openapi.json', (_request, reply) => send(reply, 'application/json', json));
  let yaml: Buffer | undefined;
  server.get('/openapi.yaml', async (_request, reply) => {
    // Written at the first request: few readers want YAML, so a start does not load the library.
    yaml ??= Buffer.from((await import('yaml')).stringify(JSON.parse(json.toString()), { aliasDuplicateObjects: false, lineWidth: 0 }));
    return send(reply, 'application/yaml', yaml);
  });
  const collection = documentText('docs/api/postman-collection.json');
  text('/postman.json', 'application/json', collection.replaceAll(LOCAL_URL, new URL(publicUrl).origin));
  text('/llms.txt', 'text/plain', llmsText(publicUrl));
  for (const { path, file } of DOCUMENTS) if (file?.endsWith('.md')) text(path, 'text/markdown', guideText(file));

  const errors = errorPages(document as ApiDocument);
  const errorPage = ({ url, headers: { accept } }: FastifyRequest, reply: FastifyReply) => {
    const page = errors.pages.get(url.split('?')[0] ?? '');
    if (page !== undefined) return send(reply, 'text/html', Buffer.from(page));
    if (!accept?.includes('text/html')) return reply.callNotFound();
    // A person mistyped the code. The same path has a JSON response for programs, so no cache may keep this one.
    return send(reply.code(404), 'text/html', Buffer.from(errors.unknown), 'no-store');
  };
  server.get(ERRORS_PATH, errorPage);
  server.get(`${ERRORS_PATH}/:code`, errorPage);
}
