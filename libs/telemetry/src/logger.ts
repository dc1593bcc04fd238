import pino, { type Logger } from 'pino';
import { activeTraceparent } from './tracing';

export type { Logger } from 'pino';

/** Members that never reach a log, at the top or one level down (guarantees §9). */
const SECRET_MEMBERS = [
  'apikey', 'api_key', 'token', 'access_token', 'app_secret', 'secret', 'password', 'otp', 'code', 'message', 'text', 'body', 'caption',
  'phone', 'to', 'from', 'cookie', 'authorization', '["x-api-key"]',
]; // prettier-ignore

const paths = SECRET_MEMBERS.flatMap((member) => [member, member.startsWith('[') ? `*${member}` : `*.${member}`]);

/** A JSON logger for one service. Errors go under `err` and keep their stack; everything named like a secret is cut out. */
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

/** Driver errors carry whole rows and queries in extra members: only the name, message, code and stack are kept. */
function errorFields(fault: unknown): unknown {
  if (!(fault instanceof Error)) return { type: typeof fault };
  const { code } = fault as { code?: unknown };
  return { type: fault.name, msg: fault.message, ...(code === undefined ? {} : { error_code: code }), stack: fault.stack };
}

/** Lines that were written for a traced request name its trace. */
function traceFields(): { trace_id?: string } {
  const trace_id = activeTraceparent()?.split('-')[1];
  return trace_id === undefined ? {} : { trace_id };
}
