import { Module } from '@nestjs/common';
import { operatorControllers, outboxRelay, personalDataController, retention, sealerOf } from '@mgw/service';
import { CallbacksStore } from './callbacks/callbacks.store';
import { WaitingCallbacksStore } from './callbacks/waiting-callbacks.store';
import { ConnectionsService } from './connections/connections.service';
import { Signatures } from './connections/signatures';
import { METRICS } from './metrics';
import { IngestConfig } from './platform-webhook-ingest.config';
import { ingestPersonalData } from './personal-data';
import { WebhookHandlers } from './receiving/webhook.handlers';
import { DEAD_LETTER_BUSINESS } from './dead-letter-business';
import { WebhookService } from './receiving/webhook.service';
import { EventsInFlight } from './splitting/events-in-flight';
import { SplitterService } from './splitting/splitter.service';

/** A callback stays until it is split, whatever its age. */
const ingestRetention = ({ rawWebhooksDays }: IngestConfig) => ({
  rows: [{ table: 'ingest.callbacks', where: `split_at < now() - interval '${rawWebhooksDays} days'` }],
});

@Module({
  controllers: [
    WebhookHandlers,
    ...operatorControllers('platform-webhook-ingest', 'ingest', METRICS, DEAD_LETTER_BUSINESS),
    personalDataController('platform-webhook-ingest', 'ingest', ingestPersonalData),
  ],
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
    outboxRelay(['PLATFORM']),
  ],
})
export class IngestModule {}
