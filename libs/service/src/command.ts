import type { Readable } from 'node:stream';
import { config, type Environment } from '@mgw/config';
import { runMigrations, type SchemaOptions } from '@mgw/postgres';
import { createLogger } from '@mgw/telemetry';
import { deadLetters } from './dead-letters';
import { runServices, type RunSettings, type ServiceOptions } from './run';
import { databaseSettings } from './settings';

/** A command for a person at the machine. @returns what it prints; an error is printed as its message. */
export type Command = (args: string[], environment: Environment, stdin: Readable) => Promise<string>;

/** Everything that a deployable with a schema is made of; `apps/<name>/src/main.ts` holds it. */
export interface Service<C extends RunSettings> extends ServiceOptions<C>, Required<Omit<SchemaOptions, 'url'>> {
  schema: string;
  /** SQL for the business of a dead letter that does not name one; null: the service has no dead letters. */
  deadLetterBusiness?: string | null;
  /** Further commands, by their names. */
  commands?: Record<string, Command>;
}

/** Runs the command in the process's arguments: `start` (the default), `migrate`, `dead-letters …`, or one of the service. */
export async function runCommand<C extends RunSettings>(service: Service<C>): Promise<void> {
  const [name = 'start', ...args] = process.argv.slice(2);
  if (name === 'start') {
    const logger = createLogger(service.name);
    return runServices([{ options: service, environment: process.env, logger }], logger);
  }
  if (name === 'migrate') return migrate(service, process.env);
  const commands = commandsOf(service);
  try {
    const command = commands[name];
    if (!command) throw new Error(`Unknown command. Use one of: start, migrate, ${Object.keys(commands).join(', ')}`);
    process.stdout.write(`${await command(args, process.env, process.stdin)}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}

function commandsOf<C extends RunSettings>(service: Service<C>): Record<string, Command> {
  if (service.deadLetterBusiness === null) return { ...service.commands };
  return { 'dead-letters': (args, environment) => deadLetters(service, args, environment), ...service.commands };
}

class MigrationConfig extends config('migrate', { databaseUrl: databaseSettings.databaseUrl }) {}

/** Needs the database only, and none of the service's secrets. */
export async function migrate<C extends RunSettings>(
  { name, schema, migrations, sources }: Service<C>,
  environment: Environment,
): Promise<void> {
  const logger = createLogger(name);
  try {
    const { databaseUrl: url } = MigrationConfig.load(environment);
    const onWait = (error: unknown) => logger.warn({ err: error }, 'the database cannot be reached; retrying for a minute');
    logger.info({ done: await runMigrations({ url, schema, migrations, sources }, onWait) }, 'migrated');
  } catch (error) {
    logger.fatal({ err: error }, 'migration failed');
    process.exitCode = 1;
  }
}
