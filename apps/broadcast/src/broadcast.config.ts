import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, serviceSettings } from '@mgw/service';

export class BroadcastConfig extends config('broadcast', {
  ...serviceSettings,
  ...databaseSettings,
  ...retentionSettings,
  broadcastsDays: env.integer('RETENTION_BROADCASTS_DAYS', {
    doc: 'how long finished broadcasts and their recipients are kept, in days',
    default: 400,
    min: 31,
    max: 3_650,
  }),
  perSecond: env.integer('BROADCAST_PER_SECOND', {
    doc: "messages of one broadcast each second; below the platform's throughput of a number (80), so that other sends have room",
    default: 40,
    min: 1,
    max: 1_000,
  }),
}) {}
