import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Environment } from '@mgw/config';
import { createLogger } from '@mgw/telemetry';
import { migrate, type Service } from './command';
import { runServices, type Member, type RunSettings } from './run';

type AnyService = Service<RunSettings>;

/**
 * Runs all services in this process (decision 501), or their migrations with the argument `migrate`.
 * @param services callers before the services that they call
 */
export async function runStandalone(services: readonly [AnyService, ...AnyService[]]): Promise<void> {
  const logger = createLogger('standalone');
  const member = (options: AnyService): Member => ({
    options,
    environment: environmentOf(options.name),
    logger: createLogger(options.name),
  });
  try {
    if (process.argv[2] === 'migrate') {
      for (const service of services) await migrate(service, environmentOf(service.name));
      return;
    }
    const [edge, ...others] = services;
    await runServices([member(edge), ...others.map(member)], logger);
  } catch (error) {
    logger.fatal({ err: error }, 'standalone could not start');
    process.exitCode = 1;
  }
}

/**
 * The process's variables, and those of the service's own file: ENV_FILE is its path, with `{service}` for the service's name.
 * @throws Error if the file cannot be read
 */
function environmentOf(service: string): Environment {
  const pattern = process.env['ENV_FILE'];
  if (!pattern) return process.env;
  try {
    return { ...parseEnv(readFileSync(pattern.replaceAll('{service}', service), 'utf8')), ...process.env };
  } catch (error) {
    throw new Error(`ENV_FILE cannot be read: ${(error as Error).message}`, { cause: error });
  }
}
