// Copies the program of the API reference from its package to the gateway's build. The image then needs no other file of the package.
import { copyFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { compress } from './compress.mjs';

const bundle = 'dist/apps/gateway/src/docs/pages/assets/standalone.js';
copyFileSync(fileURLToPath(new URL('js/standalone.js', import.meta.resolve('@scalar/fastify-api-reference'))), bundle);
compress(bundle);
