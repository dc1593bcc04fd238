import { runService } from '@mgw/service';
import { AutoReplyConfig } from './auto-reply.config';
import { AutoReplyModule } from './auto-reply.module';

void runService({ name: 'auto-reply', module: AutoReplyModule, config: AutoReplyConfig, schema: 'auto_reply' });
