import { runService } from '@mgw/service';
import { TemplateConfig } from './template.config';
import { TemplateModule } from './template.module';

void runService({ name: 'template', module: TemplateModule, config: TemplateConfig, schema: 'template' });
