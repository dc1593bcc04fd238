import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { IngestConfig } from './platform-webhook-ingest.config';

/** A callback stays until it is split, whatever its age. */
export const ingestRetention = ({ rawWebhooksDays, ...keep }: IngestConfig): RetentionPlan => ({
  rows: [...agedEventRows('ingest', keep), { table: 'ingest.callbacks', where: `split_at < now() - interval '${rawWebhooksDays} days'` }],
});
