import { migrationsIn } from '@mgw/postgres';
import { runCommand, type Service } from '@mgw/service';
import { DEAD_LETTER_BUSINESS } from './dead-letter-business';
import { IngestConfig } from './platform-webhook-ingest.config';
import { IngestModule } from './platform-webhook-ingest.module';

export const service: Service<IngestConfig> = {
  name: 'platform-webhook-ingest',
  module: IngestModule,
  config: IngestConfig,
  schema: 'ingest',
  migrations: migrationsIn(__dirname),
  sources: __dirname,
  deadLetterBusiness: DEAD_LETTER_BUSINESS,
};

if (require.main === module) void runCommand(service);
