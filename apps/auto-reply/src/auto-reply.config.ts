import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, serviceSettings } from '@mgw/service';

export class AutoReplyConfig extends config('auto-reply', {
  ...serviceSettings,
  ...databaseSettings,
  ...retentionSettings,
  repliesDays: env.integer('RETENTION_REPLIES_DAYS', {
    doc: 'how long questions and their replies are kept, in days',
    default: 90,
    min: 2,
    max: 3_650,
  }),
  sealingKeys: env.text('SEALING_KEYS', { doc: 'id:base64 of 32 bytes, comma-separated, the newest first', secret: true }),
  nodeEnv: env.text('NODE_ENV', { doc: '"production" allows public https addresses only', default: 'development' }),
  baseUrl: env.url('AUTO_REPLY_BASE_URL', {
    doc: 'OpenAI-compatible API of businesses that name none of their own',
    default: 'https://api.openai.com/v1',
  }),
  allowedTargets: env.list('WEBHOOK_ALLOWED_TARGETS', {
    doc: 'hosts or CIDRs, each with an optional :port, that a model may be at although they are not public; ignored in production',
    default: '',
  }),
  ports: env.list('WEBHOOK_PORTS', { doc: 'ports of public hosts that a model may be at', default: '443,8443' }),
}) {}
