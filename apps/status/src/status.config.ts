import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, serviceSettings } from '@mgw/service';

export class StatusConfig extends config('status', {
  ...serviceSettings,
  ...databaseSettings,
  ...retentionSettings,
  messagesDays: env.integer('RETENTION_MESSAGES_DAYS', {
    doc: 'how long the message log is kept, in days; whole months are forgotten, so some are kept up to a month longer. The same for send and status',
    default: 400,
    min: 31,
    max: 36_500,
  }),
}) {}
