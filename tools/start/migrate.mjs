// Migrates several services in one process, because loading the libraries takes far longer than the migrations.
// DATABASE_URLS: JSON, the address of the database by service.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const require = createRequire(import.meta.url);
const { runMigrations } = require(resolve('dist/libs/postgres/src'));

const migrate = async ([app, url]) => {
  const { schema, migrations, sources } = require(resolve('dist/apps', app, 'src/main.js')).service;
  await runMigrations({ url, schema, migrations, sources }).catch((error) => {
    throw new Error(`${app}: ${error.message}`);
  });
};
await Promise.all(Object.entries(JSON.parse(process.env.DATABASE_URLS)).map(migrate));
