import { runCommand, type Service } from '@mgw/service';
import { StatusConfig } from './status.config';
import { StatusModule } from './status.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { StatusRises1795392000000 } from './migrations/1795392000000-status-rises';
import { UsageFilters1795744800000 } from './migrations/1795744800000-usage-filters';
import { RequestFacts1795744900000 } from './migrations/1795744900000-request-facts';

export const service: Service<StatusConfig> = {
  name: 'status',
  module: StatusModule,
  config: StatusConfig,
  schema: 'status',
  migrations: [Baseline1795305600000, StatusRises1795392000000, UsageFilters1795744800000, RequestFacts1795744900000],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
