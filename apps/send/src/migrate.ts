import { migrateService } from '@mgw/service';
import { migrations } from './migrations/migrations';

void migrateService({ name: 'send', schema: 'send', migrations });
