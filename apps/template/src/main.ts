import { runCommand, type Service } from '@mgw/service';
import { TemplateConfig } from './template.config';
import { TemplateModule } from './template.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { Suspensions1795651200000 } from './migrations/1795651200000-suspensions';
import { Quality1795737600000 } from './migrations/1795737600000-quality';
import { FirstSyncs1795824000000 } from './migrations/1795824000000-first-syncs';
import { RejectedReason1795910400000 } from './migrations/1795910400000-rejected-reason';

export const service: Service<TemplateConfig> = {
  name: 'template',
  module: TemplateModule,
  config: TemplateConfig,
  schema: 'template',
  migrations: [Baseline1795305600000, Suspensions1795651200000, Quality1795737600000, FirstSyncs1795824000000, RejectedReason1795910400000],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
