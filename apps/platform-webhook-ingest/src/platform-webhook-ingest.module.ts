import { Module } from '@nestjs/common';
import { operatorControllers, outboxRelay, personalDataController, retention, sealerOf } from '@mgw/service';
import { CallbackTimesStore } from './callbacks/callback-times.store';
import { CallbacksStore } from './callbacks/callbacks.store';
import { WaitingCallbacksStore } from './callbacks/waiting-callbacks.store';
import { ConnectionsService } from './connections/connections.service';
import { Signatures } from './connections/signatures';
import { METRICS } from './metrics';
import { IngestConfig } from './platform-webhook-ingest.config';
import { ingestPersonalData } from './personal-data';
import { CallbackHandlers } from './receiving/callback.handlers';
import { DEAD_LETTER_BUSINESS } from './dead-letter-business';
import { CallbackService } from './receiving/callback.service';
import { StorageBudget } from './receiving/storage-budget';
import { EventsInFlight } from './splitting/events-in-flight';
import { SplitterService } from './splitting/splitter.service';

/** A callback stays until it is split, whatever its age. */
const ingestRetention = ({ rawCallbacksDays }: IngestConfig) => ({
  rows: [{ table: 'ingest.callbacks', where: `split_at < now() - interval '${rawCallbacksDays} days'` }],
});

@Module({
  controllers: [
    CallbackHandlers,
    ...operatorControllers('platform-webhook-ingest', 'ingest', METRICS, DEAD_LETTER_BUSINESS),
    personalDataController('platform-webhook-ingest', 'ingest', ingestPersonalData),
  ],
  providers: [
    ConnectionsService,
    Signatures,
    CallbacksStore,
    CallbackTimesStore,
    WaitingCallbacksStore,
    StorageBudget,
    CallbackService,
    SplitterService,
    EventsInFlight,
    retention(IngestConfig, ingestRetention),
    sealerOf(IngestConfig),
    outboxRelay(['PLATFORM']),
  ],
})
export class IngestModule {}
