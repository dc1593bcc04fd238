import { config, env } from '@mgw/config';
import { databaseSettings, serviceSettings } from '@mgw/service';

export class IngestConfig extends config('platform-webhook-ingest', {
  ...serviceSettings,
  ...databaseSettings,
  sealingKeys: env.text('SEALING_KEYS', { doc: 'id:base64 of 32 bytes, comma-separated, the newest first', secret: true }),
}) {}
