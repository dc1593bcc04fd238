import { migrateService } from '@mgw/service';
import { migrations } from './migrations/migrations';

void migrateService({ name: 'auto-reply', schema: 'auto_reply', migrations });
