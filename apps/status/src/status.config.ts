import { config } from '@mgw/config';
import { databaseSettings, serviceSettings } from '@mgw/service';

export class StatusConfig extends config('status', { ...serviceSettings, ...databaseSettings }) {}
