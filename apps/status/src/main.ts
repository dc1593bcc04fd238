import { migrationsIn } from '@mgw/postgres';
import { runCommand, type Service } from '@mgw/service';
import { StatusConfig } from './status.config';
import { StatusModule } from './status.module';

export const service: Service<StatusConfig> = {
  name: 'status',
  module: StatusModule,
  config: StatusConfig,
  schema: 'status',
  migrations: migrationsIn(__dirname),
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
