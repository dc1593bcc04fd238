// Generates the HTTP API's types and the roles of its routes from its document, for the client library and the dashboard. Git ignores them.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';

const document = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
const types = astToString(await openapiTypescript(document));
for (const file of ['libs/client/src/schema.d.ts', 'apps/dashboard/src/api/schema.d.ts']) writeFileSync(file, types);

const roles = Object.entries(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operation['x-roles']]),
);
writeFileSync('apps/dashboard/src/api/route-roles.json', JSON.stringify(Object.fromEntries(roles)));
