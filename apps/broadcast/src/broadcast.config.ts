import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, serviceSettings } from '@mgw/service';

export class BroadcastConfig extends config('broadcast', {
  ...serviceSettings,
  ...databaseSettings,
  ...retentionSettings,
  broadcastsDays: env.integer('RETENTION_BROADCASTS_DAYS', {
    doc: 'days to keep finished broadcasts and their recipients',
    default: 400,
    min: 31,
    max: 3_650,
  }),
  perSecond: env.integer('BROADCAST_PER_SECOND', {
    doc: "messages per second of one broadcast; below the platform's limit for a number (80), which leaves room for other sends",
    default: 40,
    min: 1,
    max: 1_000,
  }),
}) {}
