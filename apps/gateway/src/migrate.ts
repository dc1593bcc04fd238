import { config, env } from '@mgw/config';
import { runMigrations } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { migrations } from './migrations/migrations';

/** Only the database: migrating needs no other secret of the gateway. */
class MigrateConfig extends config('gateway migrations', {
  databaseUrl: env.url('DATABASE_URL', { doc: 'PostgreSQL', secret: true }),
}) {}

async function migrate(): Promise<void> {
  await runMigrations({ url: MigrateConfig.load(process.env).databaseUrl, schema: 'access', migrations });
}

migrate().catch((fault: unknown) => {
  createLogger('gateway').fatal({ err: fault }, 'migration failed');
  process.exitCode = 1;
});
