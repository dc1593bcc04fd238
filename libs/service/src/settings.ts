import { env } from '@mgw/config';
import { natsServer } from '@mgw/nats';
import { NON_DURABLE_CONNECTIONS, READ_CONNECTIONS, UPKEEP_CONNECTIONS } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { logLevel } from '@mgw/telemetry';

/** A header: OpenTelemetry ignores what follows a semicolon, and a header without a value. */
const HEADER = /^[\w!#$%&'*+.^`|~-]+\s*=[^;]*[^;\s][^;]*$/;
const ATTRIBUTE = /^[^=]*[^=\s][^=]*=[^=]*$/;
const SAMPLERS = ['always_on', 'always_off', 'traceidratio'].flatMap((sampler) => [sampler, `parentbased_${sampler}`]);

/** Settings of every service; spread them into its configuration class. */
export const serviceSettings = {
  natsUrl: env.list('NATS_URL', { doc: 'NATS servers, nats://user:password@host:port, comma-separated', secret: true }, natsServer),
  streamMaxBytes: env.integer('NATS_STREAM_MAX_BYTES', {
    doc: 'size of each new JetStream stream, in bytes; existing streams keep their size. Set the same value for all services',
    default: 1024 ** 3,
    min: 1024 ** 2,
  }),
  // The logger reads it itself, before the configuration is read.
  logLevel: env.parsed(
    'LOG_LEVEL',
    { doc: 'least severe level that is logged: trace, debug, info, warn, error, fatal or silent', default: 'info' },
    logLevel,
  ),
  probePort: env.port('PROBE_PORT', { doc: 'private port of /livez, /readyz and /metrics; 0 takes any free one', default: 0 }),
  // OpenTelemetry reads its variables itself; the first one enables it.
  otlpEndpoint: env.url('OTEL_EXPORTER_OTLP_ENDPOINT', {
    doc: 'collector of traces, by OTLP over HTTP, for example http://collector:4318; empty disables tracing',
    default: '',
    secret: true,
  }),
  otlpHeaders: env.parsed(
    'OTEL_EXPORTER_OTLP_HEADERS',
    { doc: 'headers of each export, key=value, comma-separated; values may be percent-encoded', default: '', secret: true },
    pairs(HEADER),
  ),
  tracesSampler: env.choice('OTEL_TRACES_SAMPLER', {
    of: SAMPLERS,
    doc: 'sampler: always_on, always_off, traceidratio, or one of them with the prefix parentbased_',
    default: 'parentbased_always_on',
  }),
  tracesSamplerArg: env.parsed('OTEL_TRACES_SAMPLER_ARG', { doc: 'share that traceidratio keeps, from 0 to 1', default: '' }, share),
  traceAttributes: env.parsed(
    'OTEL_RESOURCE_ATTRIBUTES',
    { doc: 'attributes of this service in every trace, key=value, comma-separated; values may be percent-encoded', default: '' },
    pairs(ATTRIBUTE),
  ),
  rpcConcurrency: env.integer('RPC_CONCURRENCY', {
    doc: 'concurrent requests other than reads; more are refused',
    default: 512,
    min: 1,
    max: 100_000,
  }),
  rpcReadConcurrency: env.integer('RPC_READ_CONCURRENCY', {
    doc: 'concurrent reads for the dashboard; more are refused',
    default: 64,
    min: 1,
    max: 100_000,
  }),
};

/** Settings of every service with a schema. */
export const databaseSettings = {
  databaseUrl: env.url('DATABASE_URL', {
    doc: 'PostgreSQL, postgresql://user:password@host:port/database',
    schemes: ['postgresql', 'postgres'],
    secret: true,
  }),
  databasePool: env.integer('DATABASE_POOL', {
    doc:
      `most connections to PostgreSQL for requests and events; there are up to ${NON_DURABLE_CONNECTIONS + UPKEEP_CONNECTIONS} more: ` +
      `${NON_DURABLE_CONNECTIONS} whose commits do not wait for the disk and ${UPKEEP_CONNECTIONS} that deletes expired rows`,
    default: 8,
    min: 1,
    max: 200,
  }),
  databaseReadPool: env.integer('DATABASE_READ_POOL', {
    doc: 'most additional connections, for reads of the dashboard; each business has a share of them',
    default: READ_CONNECTIONS,
    min: 4,
    max: 200,
  }),
};

/** Settings of every service with secrets of businesses. */
export const sealingSettings = {
  sealer: env.parsed(
    'SEALING_KEYS',
    { doc: 'id:base64 of 32 bytes, comma-separated; the first key seals, every key opens', secret: true },
    (ring) => new Sealer(ring),
  ),
};

/** OpenTelemetry drops entries that it cannot read without a message. */
function pairs(form: RegExp) {
  return (text: string): string => {
    const entries = text.split(',').map((entry) => entry.trim());
    if (!entries.every((entry) => entry === '' || (form.test(entry) && isPercentEncoded(entry))))
      throw new Error('has an entry that is not key=value with "," ";" and "%" percent-encoded');
    return text;
  };
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function share(text: string): string {
  if (text.trim() === '' || !(Number(text) >= 0 && Number(text) <= 1)) throw new Error('must be a number from 0 to 1');
  return text;
}
