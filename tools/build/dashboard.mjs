// Builds the dashboard: types from the API's document, type check of the product, bundle, and compressed copies for the gateway to serve.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import './api-types.mjs';
import { compress } from './compress.mjs';
import { run, TSC } from '../setup/dependencies.mjs';

if (run(TSC, ['-p', 'apps/dashboard/tsconfig.build.json']) !== 0) process.exit(1);
// Another value would bundle React for development.
process.env.NODE_ENV = 'production';
await build({ configFile: 'apps/dashboard/vite.config.mjs', logLevel: 'warn' });

const out = 'dist/apps/dashboard';
for (const entry of readdirSync(out, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(js|css|html|svg)$/.test(entry.name)) continue;
  compress(join(entry.parentPath, entry.name));
}
