// Builds the dashboard: types from the API's document, type check, bundle, and compressed copies for the gateway to serve.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import './api-types.mjs';
import { run } from '../setup/dependencies.mjs';

if (run('tsc', ['-p', 'apps/dashboard/tsconfig.json']) !== 0) process.exit(1);
await build({ configFile: 'apps/dashboard/vite.config.mjs', logLevel: 'warn' });

const out = 'dist/apps/dashboard';
for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
  const file = join(entry.parentPath, entry.name);
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}
