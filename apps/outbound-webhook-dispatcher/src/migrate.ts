import { migrateService } from '@mgw/service';
import { migrations } from './migrations/migrations';

void migrateService({ name: 'outbound-webhook-dispatcher', schema: 'dispatch', migrations });
