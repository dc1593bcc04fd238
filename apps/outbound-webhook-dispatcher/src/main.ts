import { migrationsIn } from '@mgw/postgres';
import { runCommand, type Service } from '@mgw/service';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { DispatcherModule } from './outbound-webhook-dispatcher.module';

export const service: Service<DispatcherConfig> = {
  name: 'outbound-webhook-dispatcher',
  module: DispatcherModule,
  config: DispatcherConfig,
  schema: 'dispatch',
  migrations: migrationsIn(__dirname),
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
