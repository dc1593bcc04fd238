import { runService } from '@mgw/service';
import { IngestConfig } from './platform-webhook-ingest.config';
import { IngestModule } from './platform-webhook-ingest.module';

void runService({ name: 'platform-webhook-ingest', module: IngestModule, config: IngestConfig, schema: 'ingest' });
