import { config, env } from '@mgw/config';
import { databaseSettings, serviceSettings } from '@mgw/service';

export class DispatcherConfig extends config('outbound-webhook-dispatcher', {
  ...serviceSettings,
  ...databaseSettings,
  sealingKeys: env.text('SEALING_KEYS', { doc: 'id:base64 of 32 bytes, comma-separated, the newest first', secret: true }),
  nodeEnv: env.text('NODE_ENV', { doc: '"production" allows public https addresses only', default: 'development' }),
  allowedTargets: env.list('WEBHOOK_ALLOWED_TARGETS', {
    doc: 'hosts or CIDRs, each with an optional :port, that webhooks may reach although they are not public; ignored in production',
    default: '',
  }),
  ports: env.list('WEBHOOK_PORTS', { doc: 'ports of public hosts that webhooks may use', default: '443,8443' }),
  answerWithinMs: env.integer('WEBHOOK_ANSWER_WITHIN_MS', {
    doc: 'how long a receiver has to answer, from the first DNS query on; the specification says ten seconds',
    default: 10_000,
    min: 100,
    // Its attempt, and recording its end, must fit into the lease.
    max: 20_000,
  }),
}) {}
