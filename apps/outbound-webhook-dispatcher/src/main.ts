import { runService } from '@mgw/service';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { DispatcherModule } from './outbound-webhook-dispatcher.module';

void runService({ name: 'outbound-webhook-dispatcher', module: DispatcherModule, config: DispatcherConfig, schema: 'dispatch' });
