import { runCommand, type Service } from '@mgw/service';
import { IngestConfig } from './platform-webhook-ingest.config';
import { IngestModule } from './platform-webhook-ingest.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';

export const service: Service<IngestConfig> = {
  name: 'platform-webhook-ingest',
  module: IngestModule,
  config: IngestConfig,
  schema: 'ingest',
  migrations: [Baseline1795305600000],
  sources: __dirname,
  // A dead letter here is an update of a callback: it is for the businesses whose app secret signed it.
  deadLetterBusiness: `nullif(array_to_string(businesses, ','), '')`,
};

if (require.main === module) void runCommand(service);
