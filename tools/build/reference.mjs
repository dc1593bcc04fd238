// Copies the program of the API reference from its package to the gateway's build. The image then needs no other file of the package.
import { copyFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compress } from './compress.mjs';

const bundle = 'dist/apps/gateway/src/docs/pages/assets/standalone.js';
copyFileSync(createRequire(import.meta.url).resolve('@scalar/api-reference/browser/standalone.js'), bundle);
compress(bundle);
