// Types of the HTTP API from its document, for the client library and the dashboard. Neither is kept in git.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTypescript, { astToString } from 'openapi-typescript';

const document = JSON.parse(readFileSync('docs/api/openapi.json', 'utf8'));
const types = astToString(await openapiTypescript(document));
for (const file of ['libs/client/src/schema.d.ts', 'apps/dashboard/src/api/schema.d.ts']) writeFileSync(file, types);
