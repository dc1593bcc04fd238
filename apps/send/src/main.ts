import { runCommand, type Service } from '@mgw/service';
import { SendConfig } from './send.config';
import { SendModule } from './send.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';

export const service: Service<SendConfig> = {
  name: 'send',
  module: SendModule,
  config: SendConfig,
  schema: 'send',
  migrations: [Baseline1795305600000],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
