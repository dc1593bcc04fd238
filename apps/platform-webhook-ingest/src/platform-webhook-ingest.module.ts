import { Module } from '@nestjs/common';
import { metricsController, outboxRelay, retention, sealerOf } from '@mgw/service';
import { CallbacksStore } from './callbacks/callbacks.store';
import { WaitingCallbacksStore } from './callbacks/waiting-callbacks.store';
import { ConnectionsService } from './connections/connections.service';
import { Signatures } from './connections/signatures';
import { METRICS } from './metrics';
import { IngestConfig } from './platform-webhook-ingest.config';
import { WebhookHandlers } from './receiving/webhook.handlers';
import { WebhookService } from './receiving/webhook.service';
import { ingestRetention } from './retention';
import { EventsInFlight } from './splitting/events-in-flight';
import { SplitterService } from './splitting/splitter.service';

@Module({
  controllers: [WebhookHandlers, metricsController('platform-webhook-ingest', 'ingest', METRICS)],
  providers: [
    ConnectionsService,
    Signatures,
    CallbacksStore,
    WaitingCallbacksStore,
    WebhookService,
    SplitterService,
    EventsInFlight,
    retention(IngestConfig, ingestRetention),
    sealerOf(IngestConfig),
    outboxRelay('ingest', ['PLATFORM']),
  ],
})
export class IngestModule {}
