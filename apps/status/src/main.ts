import { runService } from '@mgw/service';
import { StatusConfig } from './status.config';
import { StatusModule } from './status.module';

void runService({ name: 'status', module: StatusModule, config: StatusConfig, schema: 'status' });
