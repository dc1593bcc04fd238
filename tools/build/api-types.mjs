// Generates the HTTP API's types, the roles of its routes and a sample call of each REST route from its document, for the client library and the
// dashboard. Git ignores them.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';

const document = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
// A member with a default may be left out of a request.
const types = astToString(await openapiTypescript(document, { defaultNonNullable: false }));
for (const file of ['libs/client/src/schema.d.ts', 'apps/dashboard/src/api/schema.d.ts']) writeFileSync(file, types);

const roles = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation['x-roles']]),
);
writeFileSync('apps/dashboard/src/api/route-roles.json', JSON.stringify(Object.fromEntries(roles)));

const samples = Object.entries(document.paths)
  .filter(([path]) => path.startsWith('/api/v1/'))
  .flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const { source } = operation['x-codeSamples'].find(({ label }) => label === 'curl');
      const sample = source.replace(document.servers[0].url, '').replace('"X-API-Key: $API_KEY"', "'X-API-Key: YOUR_KEY'");
      return [`${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '*')}`, sample];
    }),
  );
writeFileSync('apps/dashboard/src/api/request-samples.json', JSON.stringify(Object.fromEntries(samples)));
