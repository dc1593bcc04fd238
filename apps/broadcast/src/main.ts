import { runCommand, type Service } from '@mgw/service';
import { BroadcastConfig } from './broadcast.config';
import { BroadcastModule } from './broadcast.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { DailyLimit1795651200000 } from './migrations/1795651200000-daily-limit';
import { RecipientsPhone1795651300000 } from './migrations/1795651300000-recipients-phone';
import { ChargedKey1795737600000 } from './migrations/1795737600000-charged-key';
import { Funnel1795824000000 } from './migrations/1795824000000-funnel';
import { DeliveredFailures1795996800000 } from './migrations/1795996800000-delivered-failures';
import { RecipientsOfDay1796083200000 } from './migrations/1796083200000-recipients-of-day';
import { ButtonValues1796169600000 } from './migrations/1796169600000-button-values';

export const service: Service<BroadcastConfig> = {
  name: 'broadcast',
  module: BroadcastModule,
  config: BroadcastConfig,
  schema: 'broadcast',
  migrations: [
    Baseline1795305600000,
    DailyLimit1795651200000,
    RecipientsPhone1795651300000,
    ChargedKey1795737600000,
    Funnel1795824000000,
    DeliveredFailures1795996800000,
    RecipientsOfDay1796083200000,
    ButtonValues1796169600000,
  ],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
