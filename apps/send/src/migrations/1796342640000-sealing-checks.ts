import { migration } from '@mgw/postgres';
import { sealingChecks } from '@mgw/service';

export const SealingChecks1796342640000 = migration('SealingChecks1796342640000', sealingChecks('send'));
