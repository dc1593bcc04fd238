import { Module } from '@nestjs/common';
import { Egress, EgressRules } from '@mgw/egress';
import { Sealer } from '@mgw/sealing';
import { figuresController, retention, sealingCheck } from '@mgw/service';
import { DeliveriesStore } from './deliveries/deliveries.store';
import { ExpansionConsumer } from './deliveries/expansion.consumer';
import { AttemptService } from './deliveries/attempt.service';
import { DeliveryLogHandlers } from './deliveries/log.handlers';
import { DeliveryLogStore } from './deliveries/log.store';
import { DispatchService } from './deliveries/dispatch.service';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { dispatcherRetention } from './retention';
import { WebhooksHandlers } from './webhooks/webhooks.handlers';
import { WebhooksStore } from './webhooks/webhooks.store';

const FIGURES = {
  deliveries_waiting: `SELECT count(*) FROM dispatch.deliveries WHERE state IN ('pending', 'running')`,
  deliveries_oldest_seconds: `SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0) FROM dispatch.deliveries
    WHERE state IN ('pending', 'running')`,
  webhooks_failing: 'SELECT count(*) FROM dispatch.webhooks WHERE fail_count > 0 AND is_active',
};

const ANY_SECRET = `SELECT secret_sealed AS sealed, 'webhook.secret:' || business_id AS context
  FROM dispatch.webhooks WHERE secret_sealed IS NOT NULL LIMIT 1`;

@Module({
  controllers: [WebhooksHandlers, DeliveryLogHandlers, figuresController('outbound-webhook-dispatcher', 'dispatch', FIGURES)],
  providers: [
    AttemptService,
    DeliveriesStore,
    DeliveryLogStore,
    DispatchService,
    ExpansionConsumer,
    WebhooksStore,
    retention(DispatcherConfig, dispatcherRetention),
    sealingCheck(ANY_SECRET),
    { provide: Sealer, inject: [DispatcherConfig], useFactory: ({ sealer }: DispatcherConfig) => sealer },
    {
      provide: EgressRules,
      inject: [DispatcherConfig],
      useFactory: ({ nodeEnv, allowedTargets, ports }: DispatcherConfig) =>
        new EgressRules({ allowedTargets: nodeEnv === 'production' ? [] : allowedTargets, ports }),
    },
    { provide: Egress, inject: [EgressRules], useFactory: (rules: EgressRules) => new Egress(rules) },
  ],
})
export class DispatcherModule {}
