import { runCommand, type Service } from '@mgw/service';
import { AutoReplyConfig } from './auto-reply.config';
import { AutoReplyModule } from './auto-reply.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { CalledAt1796342650000 } from './migrations/1796342650000-called-at';
import { CostLimit1796256100000 } from './migrations/1796256100000-cost-limit';
import { Enabled1795741300000 } from './migrations/1795741300000-enabled';
import { FailedAttempts1796342540000 } from './migrations/1796342540000-failed-attempts';
import { ModelCalls1796342541000 } from './migrations/1796342541000-model-calls';
import { SealingChecks1796342640000 } from './migrations/1796342640000-sealing-checks';
import { ShowTyping1795395600000 } from './migrations/1795395600000-show-typing';
import { Unclear1796342870000 } from './migrations/1796342870000-unclear';
import { Unerased1796342700000 } from './migrations/1796342700000-unerased';

export const service: Service<AutoReplyConfig> = {
  name: 'auto-reply',
  module: AutoReplyModule,
  config: AutoReplyConfig,
  schema: 'auto_reply',
  migrations: [
    Baseline1795305600000,
    ShowTyping1795395600000,
    Enabled1795741300000,
    CostLimit1796256100000,
    FailedAttempts1796342540000,
    ModelCalls1796342541000,
    SealingChecks1796342640000,
    CalledAt1796342650000,
    Unerased1796342700000,
    Unclear1796342870000,
  ],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
