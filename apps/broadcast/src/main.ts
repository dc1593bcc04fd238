import { migrationsIn } from '@mgw/postgres';
import { runCommand, type Service } from '@mgw/service';
import { BroadcastConfig } from './broadcast.config';
import { BroadcastModule } from './broadcast.module';

export const service: Service<BroadcastConfig> = {
  name: 'broadcast',
  module: BroadcastModule,
  config: BroadcastConfig,
  schema: 'broadcast',
  migrations: migrationsIn(__dirname),
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
