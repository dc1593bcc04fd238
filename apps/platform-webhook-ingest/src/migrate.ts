import { migrateService } from '@mgw/service';
import { migrations } from './migrations/migrations';

void migrateService({ name: 'platform-webhook-ingest', schema: 'ingest', migrations });
