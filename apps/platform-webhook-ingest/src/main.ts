import { runCommand, type Service } from '@mgw/service';
import { DEAD_LETTER_BUSINESS } from './dead-letter-business';
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
  deadLetterBusiness: DEAD_LETTER_BUSINESS,
};

if (require.main === module) void runCommand(service);
