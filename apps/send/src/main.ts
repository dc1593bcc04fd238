import { runService } from '@mgw/service';
import { SendConfig } from './send.config';
import { SendModule } from './send.module';

void runService({ name: 'send', module: SendModule, config: SendConfig, schema: 'send' });
