import { Module } from '@nestjs/common';
import { egressOf } from '@mgw/egress';
import { operatorControllers, outboxRelay, personalDataController, retention, sealerOf, storedSecrets } from '@mgw/service';
import { BacklogService } from './deliveries/backlog.service';
import { DeliveriesStore } from './deliveries/deliveries.store';
import { ExpansionConsumer } from './deliveries/expansion.consumer';
import { AttemptService } from './deliveries/attempt.service';
import { DeliveryLogHandlers } from './deliveries/delivery-log.handlers';
import { DeliveryLogStore } from './deliveries/delivery-log.store';
import { DispatchService } from './deliveries/dispatch.service';
import { LanesStore } from './deliveries/lanes.store';
import { DispatcherConfig } from './outbound-webhook-dispatcher.config';
import { FeedHandlers } from './feed/feed.handlers';
import { FeedStore } from './feed/feed.store';
import { METRICS } from './metrics';
import { dispatcherPersonalData } from './personal-data';
import { RecoveryHandlers } from './recovery/recovery.handlers';
import { RecoveryStore } from './recovery/recovery.store';
import { WebhooksHandlers } from './webhooks/webhooks.handlers';
import { WebhooksStore } from './webhooks/webhooks.store';

const SEALED = [
  { table: 'dispatch.webhooks', key: 'id', column: 'secret_sealed', context: `'webhook.secret:' || business_id` },
  { table: 'dispatch.webhooks', key: 'id', column: 'creation_fingerprint', context: `'webhook.creation:' || business_id` },
  {
    table: 'dispatch.old_secrets',
    key: 'webhook_id',
    column: 'secret_sealed',
    context: `(SELECT 'webhook.secret:' || w.business_id FROM dispatch.webhooks w WHERE w.id = webhook_id)`,
  },
];

/**
 * Only deliveries that have ended expire, and those of deleted webhooks. The condition on `created_at` changes nothing but lets an index find
 * them.
 */
const dispatcherRetention = ({ deliveriesDays: days, eventsDays }: DispatcherConfig) => ({
  rows: [
    {
      table: 'dispatch.deliveries',
      where: `created_at < now() - interval '${days} days' AND finished_at < now() - interval '${days} days'`,
    },
    { table: 'dispatch.deliveries', where: 'webhook_id IN (SELECT webhook_id FROM dispatch.deleted_webhooks)' },
    {
      table: 'dispatch.deleted_webhooks',
      where: 'NOT EXISTS (SELECT FROM dispatch.deliveries d WHERE d.webhook_id = expired.webhook_id)',
    },
    { table: 'dispatch.feed_events', where: `created_at < now() - interval '${eventsDays} days'` },
    { table: 'dispatch.feed_types', where: 'wanted_until < now()' },
    { table: 'dispatch.webhook_hours', where: `hour < now() - interval '2 days'` },
    { table: 'dispatch.old_secrets', where: 'valid_until < now()' },
  ],
});

@Module({
  controllers: [
    WebhooksHandlers,
    DeliveryLogHandlers,
    FeedHandlers,
    RecoveryHandlers,
    ...operatorControllers('outbound-webhook-dispatcher', 'dispatch', METRICS),
    personalDataController('outbound-webhook-dispatcher', 'dispatch', dispatcherPersonalData),
  ],
  providers: [
    AttemptService,
    BacklogService,
    DeliveriesStore,
    DeliveryLogStore,
    DispatchService,
    ExpansionConsumer,
    FeedStore,
    LanesStore,
    RecoveryStore,
    WebhooksStore,
    outboxRelay(['PUBLIC']),
    retention(DispatcherConfig, dispatcherRetention),
    storedSecrets('outbound-webhook-dispatcher', SEALED),
    sealerOf(DispatcherConfig),
    ...egressOf(DispatcherConfig),
  ],
})
export class DispatcherModule {}
