import { config, env } from '@mgw/config';
import { databaseSettings, retentionSettings, sealingSettings, serviceSettings } from '@mgw/service';

export class TemplateConfig extends config('template', {
  ...serviceSettings,
  ...databaseSettings,
  ...sealingSettings,
  ...retentionSettings,
  graphBaseUrl: env.url('META_GRAPH_BASE_URL', { doc: "the platform's address", default: 'https://graph.facebook.com' }),
  graphVersion: env.text('META_GRAPH_VERSION', { doc: 'version of the Graph API', default: 'v26.0' }),
  syncEverySeconds: env.integer('TEMPLATE_SYNC_SECONDS', {
    doc: 'interval of regular template syncs; the platform allows 200 calls an hour',
    default: 900,
    min: 60,
    max: 86_400,
  }),
}) {}
