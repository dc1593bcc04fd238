import type { LoggerService, NestApplicationOptions } from '@nestjs/common';
import type { Logger } from '@mgw/telemetry';

/** Nest's word for what it throws as well. */
const THROWN = 'ExceptionHandler';

/** Nest says what it has to say in the service's log, and throws what it cannot start with instead of ending the process. */
export function nestOptions(logger: Logger): Pick<NestApplicationOptions, 'abortOnError' | 'logger'> {
  const say =
    (level: 'error' | 'warn') =>
    (message: unknown, ...details: unknown[]) => {
      const context = details.at(-1);
      if (context === THROWN) return;
      if (message instanceof Error) logger[level]({ err: message, context }, 'Nest has a problem');
      else logger[level]({ context }, String(message));
    };
  const adapted: LoggerService = { log: () => undefined, warn: say('warn'), error: say('error') };
  return { abortOnError: false, logger: adapted };
}
