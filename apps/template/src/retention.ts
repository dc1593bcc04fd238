import { agedEventRows } from '@mgw/events';
import type { RetentionPlan } from '@mgw/service';
import type { TemplateConfig } from './template.config';

export const templateRetention = (keep: TemplateConfig): RetentionPlan => ({ rows: agedEventRows('template', keep) });
