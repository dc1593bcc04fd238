import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ERRORS_PATH } from '../errors/help-link';
import { documentText, DOCUMENTS, guideText, llmsText } from './documents';
import { errorPages, type ApiDocument } from './error-pages';
import { htmlPage } from './html-page';

/** The page may run its own script and nothing else. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'";
/** They change with the gateway's version only, and it may be behind a cache. In seconds. */
const DOCUMENT_AGE = 300;
const PACKAGE_AGE = 3_600;
/** The server of the collection in the repository. */
const LOCAL_URL = 'http://localhost:8080';

const REFERENCE = htmlPage(
  'API reference',
  `<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>`,
  '<link rel="stylesheet" href="/docs/swagger-ui.css">\n',
);
/** Swagger UI does not show `x-codeSamples` by itself: they go before the answers of an operation. */
const START = `
const CodeSamples = ({ React, specSelectors }) => ({
  wrapComponents: {
    responses: (Responses) => (props) => {
      const e = React.createElement;
      const samples = specSelectors.specJson().getIn(['paths', props.path, props.method, 'x-codeSamples']);
      const shown = (samples ? samples.toJS() : []).map(({ label, source }) =>
        e('details', { key: label, name: props.method + props.path }, e('summary', null, label), e('pre', { className: 'example microlight' }, source)));
      return e('div', null, e('div', { className: 'opblock-section code-samples', style: { padding: '0 20px' } }, shown), e(Responses, props));
    },
  },
});
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, defaultModelsExpandDepth: 0, tryItOutEnabled: true, plugins: [CodeSamples] });
`;

/** The API's document in its forms, the guides, and pages to read them and to try it; everything comes from here, nothing from a CDN. */
export function docsRoutes(server: FastifyInstance, document: object, publicUrl: string): void {
  const file = (name: string) => createReadStream(require.resolve(`swagger-ui-dist/${name}`));
  // Shared bytes: a copy for each slow reader would be half a megabyte.
  const give = (reply: FastifyReply, type: string, body: Buffer | Readable, maxAge = DOCUMENT_AGE) =>
    reply
      .type(`${type}; charset=utf-8`)
      .headers({ 'content-security-policy': POLICY, 'cache-control': `public, max-age=${maxAge}` })
      .send(body);
  const text = (path: string, type: string, body: string) => {
    const bytes = Buffer.from(body);
    server.get(path, (_request, reply) => give(reply, type, bytes));
  };

  text('/docs', 'text/html', REFERENCE);
  text('/docs/start.js', 'text/javascript', START);
  const json = JSON.stringify(document);
  text('/openapi.json', 'application/json', json);
  let yaml: Buffer | undefined;
  server.get('/openapi.yaml', async (_request, reply) => {
    // Few ask for it, and loading and writing YAML is nothing that a start should wait for, nor what the document would be kept for.
    yaml ??= Buffer.from((await import('yaml')).stringify(JSON.parse(json), { aliasDuplicateObjects: false, lineWidth: 0 }));
    return give(reply, 'application/yaml', yaml);
  });
  text(
    '/postman.json',
    'application/json',
    documentText('docs/api/postman-collection.json').replaceAll(LOCAL_URL, new URL(publicUrl).origin),
  );
  text('/llms.txt', 'text/plain', llmsText(publicUrl));
  for (const { path, file } of DOCUMENTS) if (file?.endsWith('.md')) text(path, 'text/markdown', guideText(file));

  const errors = errorPages(document as ApiDocument);
  const errorPage = ({ url }: { url: string }, reply: FastifyReply) => {
    const page = errors.get(url.split('?')[0] ?? '');
    return page === undefined ? reply.callNotFound() : give(reply, 'text/html', Buffer.from(page));
  };
  server.get(ERRORS_PATH, errorPage);
  server.get(`${ERRORS_PATH}/:code`, errorPage);
  for (const [name, type] of [
    ['swagger-ui.css', 'text/css'],
    ['swagger-ui-bundle.js', 'text/javascript'],
  ] as const) {
    server.get(`/docs/${name}`, (_request, reply) => give(reply, type, file(name), PACKAGE_AGE));
  }
}
