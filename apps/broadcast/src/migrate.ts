import { migrateService } from '@mgw/service';
import { migrations } from './migrations/migrations';

void migrateService({ name: 'broadcast', schema: 'broadcast', migrations });
