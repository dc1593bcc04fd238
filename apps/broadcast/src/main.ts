import { runService } from '@mgw/service';
import { BroadcastConfig } from './broadcast.config';
import { BroadcastModule } from './broadcast.module';

void runService({ name: 'broadcast', module: BroadcastModule, config: BroadcastConfig, schema: 'broadcast' });
