import { config, env } from '@mgw/config';
import { allowedTarget } from '@mgw/egress';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class AutoReplyConfig extends config('auto-reply', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  repliesDays: env.integer('RETENTION_REPLIES_DAYS', {
    doc: 'days to keep questions and their replies',
    default: 90,
    min: 2,
    max: 3_650,
  }),
  nodeEnv: env.text('NODE_ENV', { doc: '"production" allows public https addresses only', default: 'development' }),
  baseUrl: env.url('AUTO_REPLY_BASE_URL', {
    doc: 'OpenAI-compatible API for businesses that set no base URL',
    default: 'https://api.openai.com/v1',
  }),
  allowedTargets: env.list(
    'WEBHOOK_ALLOWED_TARGETS',
    {
      doc: 'hosts or CIDRs, each with an optional :port, where a model may run although they are not public; ignored in production',
      default: '',
    },
    allowedTarget,
  ),
  ports: env.ports('WEBHOOK_PORTS', { doc: 'ports of public hosts where a model may run', default: '443,8443' }),
}) {}
