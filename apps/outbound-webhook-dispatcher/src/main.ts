import { runCommand, type Service } from '@mgw/service';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { DispatcherModule } from './outbound-webhook-dispatcher.module';
import { Baseline1795305600000 } from './migrations/1795305600000-baseline';
import { OldSecrets1795392000000 } from './migrations/1795392000000-old-secrets';
import { EventNumbers1795478400000 } from './migrations/1795478400000-event-numbers';
import { DeliveryHealth1795564800000 } from './migrations/1795564800000-delivery-health';
import { EventFeed1795651200000 } from './migrations/1795651200000-event-feed';
import { Recoveries1795737600000 } from './migrations/1795737600000-recoveries';

export const service: Service<DispatcherConfig> = {
  name: 'outbound-webhook-dispatcher',
  module: DispatcherModule,
  config: DispatcherConfig,
  schema: 'dispatch',
  migrations: [
    Baseline1795305600000,
    OldSecrets1795392000000,
    EventNumbers1795478400000,
    DeliveryHealth1795564800000,
    EventFeed1795651200000,
    Recoveries1795737600000,
  ],
  sources: __dirname,
};

if (require.main === module) void runCommand(service);
