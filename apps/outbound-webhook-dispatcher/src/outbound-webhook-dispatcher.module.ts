import { Module } from '@nestjs/common';
import { Egress, EgressRules } from '@mgw/egress';
import { Sealer } from '@mgw/sealing';
import { DeliveriesStore } from './deliveries/deliveries.store';
import { ExpansionConsumer } from './deliveries/expansion.consumer';
import { AttemptService } from './deliveries/attempt.service';
import { DeliveryLogHandlers } from './deliveries/log.handlers';
import { DeliveryLogStore } from './deliveries/log.store';
import { DispatchService } from './deliveries/dispatch.service';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { WebhooksHandlers } from './webhooks/webhooks.handlers';
import { WebhooksStore } from './webhooks/webhooks.store';

@Module({
  controllers: [WebhooksHandlers, DeliveryLogHandlers],
  providers: [
    AttemptService,
    DeliveriesStore,
    DeliveryLogStore,
    DispatchService,
    ExpansionConsumer,
    WebhooksStore,
    { provide: Sealer, inject: [DispatcherConfig], useFactory: (config: DispatcherConfig) => new Sealer(config.sealingKeys) },
    {
      provide: EgressRules,
      inject: [DispatcherConfig],
      useFactory: ({ nodeEnv, allowedTargets, ports }: DispatcherConfig) =>
        new EgressRules({ allowedTargets: nodeEnv === 'production' ? [] : allowedTargets, ports: ports.map(Number) }),
    },
    { provide: Egress, inject: [EgressRules], useFactory: (rules: EgressRules) => new Egress(rules) },
  ],
})
export class DispatcherModule {}
