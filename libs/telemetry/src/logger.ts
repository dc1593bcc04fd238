import pino, { type Logger } from 'pino';
import { activeTraceparent } from './tracing';

export type { Logger } from 'pino';

/** Members that are removed from log lines, at the top or one level down (guarantees §9). */
// oxfmt-ignore
const SECRET_MEMBERS = [
  'apikey', 'api_key', 'token', 'access_token', 'app_secret', 'secret', 'password', 'otp', 'code', 'message', 'text', 'body', 'caption',
  'phone', 'to', 'from', 'cookie', 'authorization', '["x-api-key"]',
];

const paths = SECRET_MEMBERS.flatMap((member) => [member, member.startsWith('[') ? `*${member}` : `*.${member}`]);

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];

/** @returns the level that the value of LOG_LEVEL names. @throws Error whose message completes "LOG_LEVEL …" */
export function logLevel(text: string): string {
  const level = text.toLowerCase();
  if (!LEVELS.includes(level)) throw new Error(`must be one of ${LEVELS.join(', ')}`);
  return level;
}

/** An invalid LOG_LEVEL needs a logger too: the configuration reports it with all other faults. */
function configuredLevel(): string {
  try {
    return logLevel(process.env['LOG_LEVEL'] ?? 'info');
  } catch {
    return 'info';
  }
}

/**
 * Creates the JSON logger of a service. Log errors as `err`; members named like a secret are removed. A line is written before the call
 * returns (decision 772).
 */
export function createLogger(service: string, level: string = configuredLevel()): Logger {
  const options = {
    level,
    base: { service },
    messageKey: 'msg',
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceFields,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: errorFields },
    redact: { paths, censor: '[hidden]' },
  };
  return pino(options, pino.destination({ dest: process.stdout.fd, sync: true }));
}

/** Keeps only name, message, code and stack: driver errors carry whole rows and queries in other members. */
function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code } = error as { code?: unknown };
  return { type: error.name, msg: error.message, ...(code === undefined ? {} : { error_code: code }), stack: error.stack };
}

/** Adds the trace to log lines of a traced request. */
function traceFields(): { trace_id?: string } {
  const trace_id = activeTraceparent()?.split('-')[1];
  return trace_id === undefined ? {} : { trace_id };
}
