import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** The page may run its own script and nothing else. */
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Messaging gateway: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;
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

/** The API's document and a page to read it and try it; everything comes from here, nothing from a CDN. */
export function docsRoutes(server: FastifyInstance, document: object): void {
  const text = JSON.stringify(document);
  const file = (name: string) => createReadStream(require.resolve(`swagger-ui-dist/${name}`));
  const give = (reply: FastifyReply, type: string, body: string | Readable) =>
    reply.type(`${type}; charset=utf-8`).header('content-security-policy', POLICY).send(body);
  server.get('/openapi.json', (_request, reply) => give(reply, 'application/json', text));
  server.get('/docs', (_request, reply) => give(reply, 'text/html', PAGE));
  server.get('/docs/start.js', (_request, reply) => give(reply, 'text/javascript', START));
  for (const [name, type] of [
    ['swagger-ui.css', 'text/css'],
    ['swagger-ui-bundle.js', 'text/javascript'],
  ] as const) {
    server.get(`/docs/${name}`, (_request, reply) => give(reply, type, file(name)).header('cache-control', 'public, max-age=3600'));
  }
}
