import { Module } from '@nestjs/common';
import { Egress, EgressRules } from '@mgw/egress';
import { WorkerHeartbeat } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { metricsController, LOGGER, retention, sealerOf, sealingCheck } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { DeliveriesStore } from './deliveries/deliveries.store';
import { ExpansionConsumer } from './deliveries/expansion.consumer';
import { AttemptService } from './deliveries/attempt.service';
import { DeliveryLogHandlers } from './deliveries/log.handlers';
import { DeliveryLogStore } from './deliveries/log.store';
import { DispatchService } from './deliveries/dispatch.service';
import { LanesStore } from './deliveries/lanes.store';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { METRICS } from './metrics';
import { dispatcherRetention } from './retention';
import { WebhooksHandlers } from './webhooks/webhooks.handlers';
import { WebhooksStore } from './webhooks/webhooks.store';

const ANY_SECRET = `SELECT secret_sealed AS sealed, 'webhook.secret:' || business_id AS context
  FROM dispatch.webhooks WHERE secret_sealed IS NOT NULL LIMIT 1`;

@Module({
  controllers: [WebhooksHandlers, DeliveryLogHandlers, metricsController('outbound-webhook-dispatcher', 'dispatch', METRICS)],
  providers: [
    AttemptService,
    DeliveriesStore,
    DeliveryLogStore,
    DispatchService,
    ExpansionConsumer,
    LanesStore,
    WebhooksStore,
    retention(DispatcherConfig, dispatcherRetention),
    sealingCheck(ANY_SECRET),
    sealerOf(DispatcherConfig),
    {
      provide: EgressRules,
      inject: [DispatcherConfig],
      useFactory: ({ nodeEnv, allowedTargets, ports }: DispatcherConfig) =>
        new EgressRules({ allowedTargets: nodeEnv === 'production' ? [] : allowedTargets, ports }),
    },
    { provide: Egress, inject: [EgressRules], useFactory: (rules: EgressRules) => new Egress(rules) },
    {
      provide: WorkerHeartbeat,
      inject: [Database, LOGGER],
      useFactory: (db: Database, logger: Logger) => new WorkerHeartbeat({ db, logger, schema: 'dispatch' }),
    },
  ],
})
export class DispatcherModule {}
