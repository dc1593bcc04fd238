import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class IngestConfig extends config('platform-webhook-ingest', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  rawCallbacksDays: env.integer('RETENTION_RAW_WEBHOOKS_DAYS', {
    doc: 'days to keep received callbacks; the platform retries them for 7',
    default: 8,
    min: 8,
    max: 3_650,
  }),
  callbackMegabytes: env.integer('CALLBACK_MB_PER_HOUR', {
    doc: 'megabytes of callbacks that each replica stores of one business within an hour; it refuses further ones, which the platform retries',
    default: 8_000,
    min: 10,
    max: 1_000_000,
  }),
}) {}
