import { config, env } from '@mgw/config';
import { allowedTarget } from '@mgw/egress';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class DispatcherConfig extends config('outbound-webhook-dispatcher', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  deliveriesDays: env.integer('RETENTION_DELIVERIES_DAYS', {
    doc: 'days to keep deliveries in the log after their end',
    default: 30,
    min: 7,
    max: 3_650,
  }),
  nodeEnv: env.text('NODE_ENV', { doc: '"production" allows public https addresses only', default: 'development' }),
  allowedTargets: env.list(
    'WEBHOOK_ALLOWED_TARGETS',
    {
      doc: 'hosts or CIDRs, each with an optional :port, that webhooks may reach although they are not public; ignored in production',
      default: '',
    },
    allowedTarget,
  ),
  ports: env.ports('WEBHOOK_PORTS', { doc: 'ports of public hosts that webhooks may use', default: '443,8443' }),
  responseWithinMs: env.integer('WEBHOOK_ANSWER_WITHIN_MS', {
    doc: 'how long a receiver has to respond, counted from the first DNS query; the specification requires ten seconds',
    default: 10_000,
    min: 100,
    max: 60_000,
  }),
}) {}
