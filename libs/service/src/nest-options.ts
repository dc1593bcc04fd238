import type { LoggerService, NestApplicationOptions } from '@nestjs/common';
import type { Logger } from '@mgw/telemetry';

/** The context under which Nest logs errors that it also throws. */
const THROWN = 'ExceptionHandler';

/** Makes Nest write to the service's log, and throw errors of the start instead of ending the process. */
export function nestOptions(logger: Logger): Pick<NestApplicationOptions, 'abortOnError' | 'logger'> {
  const logAt =
    (level: 'error' | 'warn') =>
    (message: unknown, ...details: unknown[]) => {
      const context = details.at(-1);
      if (context === THROWN) return;
      if (message instanceof Error) logger[level]({ err: message, context }, 'Nest reported a problem');
      else logger[level]({ context }, String(message));
    };
  const adapted: LoggerService = { log: () => undefined, warn: logAt('warn'), error: logAt('error') };
  return { abortOnError: false, logger: adapted };
}
