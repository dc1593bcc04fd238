import { Module } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { Sealer } from '@mgw/sealing';
import { ageOfFirst, countUpTo, figuresController, LOGGER, NATS, retention } from '@mgw/service';
import { ConnectionsService } from './connections/connections.service';
import { Signatures } from './connections/signatures';
import { IngestConfig } from './platform-webhook-ingest.config';
import { CallbacksStore } from './receiving/callbacks.store';
import { WebhookHandlers } from './receiving/webhook.handlers';
import { WebhookService } from './receiving/webhook.service';
import { ingestRetention } from './retention';
import { SplitterService } from './splitting/splitter.service';
import { EventsInFlight } from './splitting/events-in-flight';

const FIGURES = {
  webhooks_waiting: countUpTo('FROM ingest.deliveries WHERE split_at IS NULL ORDER BY id'),
  webhooks_oldest_seconds: ageOfFirst('received_at', 'FROM ingest.deliveries WHERE split_at IS NULL ORDER BY id'),
};

@Module({
  controllers: [WebhookHandlers, figuresController('platform-webhook-ingest', 'ingest', FIGURES)],
  providers: [
    ConnectionsService,
    Signatures,
    CallbacksStore,
    WebhookService,
    SplitterService,
    EventsInFlight,
    retention(IngestConfig, ingestRetention),
    { provide: Sealer, inject: [IngestConfig], useFactory: ({ sealer }: IngestConfig) => sealer },
    {
      provide: OutboxRelay,
      inject: [Database, NATS, LOGGER],
      useFactory: (db: Database, nc, logger) => new OutboxRelay({ db, nc, logger, schema: 'ingest', streams: ['PLATFORM'] }),
    },
  ],
})
export class IngestModule {}
