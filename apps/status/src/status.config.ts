import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, serviceSettings } from '@mgw/service';

export class StatusConfig extends config('status', {
  ...serviceSettings,
  ...databaseSettings,
  ...retentionSettings,
  messagesDays: env.integer('RETENTION_MESSAGES_DAYS', {
    doc: 'days to keep the message log; whole months are deleted, so some messages stay up to a month longer. Set the same value for send and status',
    default: 400,
    min: 31,
    max: 36_500,
  }),
}) {}
