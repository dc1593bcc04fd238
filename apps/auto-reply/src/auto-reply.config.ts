import { config, env } from '@mgw/config';
import { egressSettings } from '@mgw/egress';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class AutoReplyConfig extends config('auto-reply', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  ...egressSettings,
  repliesDays: env.integer('RETENTION_REPLIES_DAYS', {
    doc: 'days to keep questions and their replies',
    default: 90,
    min: 2,
    max: 3_650,
  }),
  baseUrl: env.url('AUTO_REPLY_BASE_URL', {
    doc: 'OpenAI-compatible API for businesses that set no base URL',
    default: 'https://api.openai.com/v1',
  }),
}) {}
