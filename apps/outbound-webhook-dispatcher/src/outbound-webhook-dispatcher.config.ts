import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, serviceSettings } from '@mgw/service';

export class DispatcherConfig extends config('outbound-webhook-dispatcher', {
  ...serviceSettings,
  ...databaseSettings,
  ...retentionSettings,
  deliveriesDays: env.integer('RETENTION_DELIVERIES_DAYS', {
    doc: 'how long the log of deliveries is kept, in days after their end',
    default: 30,
    min: 7,
    max: 3_650,
  }),
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
