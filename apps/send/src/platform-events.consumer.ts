import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformMessage, PlatformPreference, PlatformStatus } from '@mgw/contracts';
import { EventConsumer, OutboxRelay, type EventConsumerOptions } from '@mgw/events';
import { GraphClient } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { identityChange } from './inbound/inbound-message';
import { InboundService } from './inbound/inbound.service';
import { LateAcceptanceService } from './intents/late-acceptance.service';
import { FailureEffects } from './platform-errors/failure-effects.service';
import { PreferenceService } from './suppression/preference.service';

/** Consumes the platform's events and calls the topic that handles them. */
@Injectable()
export class PlatformEventsConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumers: EventConsumer[];

  constructor(
    private readonly relay: OutboxRelay,
    private readonly graph: GraphClient,
    inbound: InboundService,
    lateAcceptances: LateAcceptanceService,
    failures: FailureEffects,
    preferences: PreferenceService,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    // Redelivered events change nothing: messages are fenced by their id, statuses by the intent's state, preferences by their time.
    const common = { nc, db, logger, schema: 'send', stream: 'PLATFORM', idempotent: true } as const;
    this.consumers = [
      new EventConsumer({
        ...common,
        durable: 'send-messages',
        type: PlatformMessage,
        // The first message opens the conversation, and message.received must follow the customer's order (decisions 28, 29b).
        ordered: true,
        // A redelivered change of identity would undo a later one, so the consumer must deduplicate it.
        isIdempotent: (event) => identityChange(event) === null,
        handle: (events, tx) => inbound.receive(events, tx),
        afterCommit: (published) => relay.publishCommitted(published),
      }),
      new EventConsumer({
        ...common,
        durable: 'send-statuses',
        type: PlatformStatus,
        handle: async (events, tx) => {
          const published = await lateAcceptances.accept(events, tx);
          await failures.apply(events, tx);
          return published;
        },
        afterCommit: (published) => relay.publishCommitted(published),
      }),
      new EventConsumer({
        ...common,
        durable: 'send-preferences',
        type: PlatformPreference,
        // Times have whole seconds, so the order of events decides within a second.
        ordered: true,
        handle: (events, tx) => preferences.apply(events, tx),
      }),
    ];
  }

  onApplicationBootstrap(): void {
    this.relay.start();
    for (const consumer of this.consumers) consumer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
    // Consumers publish and sends call WhatsApp until they stop, so end relay and client last.
    await this.relay.stop();
    await this.graph.close();
  }
}
