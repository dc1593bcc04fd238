import { migrationsIn } from '@mgw/postgres';
import { runCommand, type Service } from '@mgw/service';
import { TemplateConfig } from './template.config';
import { TemplateModule } from './template.module';

export const service: Service<TemplateConfig> = {
  name: 'template',
  module: TemplateModule,
  config: TemplateConfig,
  schema: 'template',
  migrations: migrationsIn(__dirname),
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
