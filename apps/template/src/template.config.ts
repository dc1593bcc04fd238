import { config, env } from '@mgw/config';
import { graphSettings } from '@mgw/platform-api';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class TemplateConfig extends config('template', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  ...graphSettings,
  syncEverySeconds: env.integer('TEMPLATE_SYNC_SECONDS', {
    doc: 'interval of regular template syncs; the platform allows 200 calls an hour',
    default: 900,
    min: 60,
    max: 86_400,
  }),
}) {}
