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

/** Creates the JSON logger of a service. Log errors as `err`; members named like a secret are removed. */
export function createLogger(service: string, level: string = process.env['LOG_LEVEL'] || 'info'): Logger {
  return pino({
    level,
    base: { service },
    messageKey: 'msg',
    timestamp: pino.stdTimeFunctions.isoTime,
    mixin: traceFields,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorFields },
    redact: { paths, censor: '[hidden]' },
  });
}

/** Keeps only name, message, code and stack: driver errors carry whole rows and queries in other members. */
function errorFields(fault: unknown): unknown {
  if (!(fault instanceof Error)) return { type: typeof fault };
  const { code } = fault as { code?: unknown };
  return { type: fault.name, msg: fault.message, ...(code === undefined ? {} : { error_code: code }), stack: fault.stack };
}

/** Adds the trace to log lines of a traced request. */
function traceFields(): { trace_id?: string } {
  const trace_id = activeTraceparent()?.split('-')[1];
  return trace_id === undefined ? {} : { trace_id };
}
