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
  if (process.argv[2] === 'migrate') {
    for (const service of services) await migrate(service, environmentOf(service.name));
    return;
  }
  const member = (options: AnyService): Member => ({
    options,
    environment: environmentOf(options.name),
    logger: createLogger(options.name),
  });
  const [edge, ...others] = services;
  await runServices([member(edge), ...others.map(member)], createLogger('standalone'));
}

/** The process's variables, and those of the service's own file: ENV_FILE is its path, with `{service}` for the service's name. */
function environmentOf(service: string): Environment {
  const pattern = process.env['ENV_FILE'];
  const own = pattern === undefined ? {} : parseEnv(readFileSync(pattern.replaceAll('{service}', service), 'utf8'));
  return { ...own, ...process.env };
}
