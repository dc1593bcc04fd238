import { config, env } from '@mgw/config';
import { logLevel } from '@mgw/telemetry';

export class SimulatorConfig extends config('platform-simulator', {
  nodeEnv: env.nodeEnv('the simulator does not start in "production"'),
  port: env.port('SIMULATOR_PORT', { doc: 'port of the Graph API and of the control plane', default: 8090 }),
  host: env.text('SIMULATOR_HOST', {
    doc: 'interface; keep it private, because only SIM_CONTROL_TOKEN protects the control plane',
    default: '127.0.0.1',
  }),
  logLevel: env.parsed(
    'LOG_LEVEL',
    { doc: 'least severe level that is logged: trace, debug, info, warn, error, fatal or silent', default: 'info' },
    logLevel,
  ),
  probePort: env.port('PROBE_PORT', { doc: 'private port of /livez, /readyz and /metrics; 0 takes any free one', default: 0 }),
  callbackUrl: env.url('SIM_CALLBACK_URL', { doc: 'receives the webhooks', default: 'http://127.0.0.1:8080/webhooks/whatsapp' }),
  shownCallbackUrl: env.text('SIM_SHOWN_CALLBACK_URL', {
    doc: "the callback's address in the responses, if its public address differs from SIM_CALLBACK_URL",
    default: '',
  }),
  appSecret: env.text('META_APP_SECRET', {
    doc: 'signs the callbacks of the first two accounts',
    default: 'dev-app-secret-not-a-real-one',
    secret: true,
  }),
  verifyToken: env.text('SIM_VERIFY_TOKEN', { doc: 'sent at the handshake', default: 'dev-verify-token', secret: true }),
  controlToken: env.text('SIM_CONTROL_TOKEN', {
    doc: 'the control plane requires it as a bearer token or `?token=`; empty requires none',
    default: '',
    secret: true,
  }),
  callbackConcurrency: env.integer('SIM_CALLBACK_CONCURRENCY', {
    doc: 'callbacks that are posted concurrently',
    default: 16,
    min: 1,
    max: 256,
  }),
  stateFile: env.text('SIM_STATE_FILE', {
    doc: 'file that keeps the state over restarts, with the tokens of its accounts; empty keeps it in memory only',
    default: '',
  }),
  seed: env.integer('SIM_SEED', {
    doc: 'the same seed gives the same ids and pauses; 0 takes a new one at each start, so that ids do not repeat',
    default: 0,
    min: 0,
    max: 4_294_967_295,
  }),
}) {}
