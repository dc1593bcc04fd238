import { Injectable } from '@nestjs/common';
import { PlatformMessage, PlatformPreference, PlatformStatus } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { GraphClient } from '@mgw/platform-api';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { identityChange } from './inbound/inbound-message';
import { InboundService } from './inbound/inbound.service';
import { LateAcceptanceService } from './intents/late-acceptance.service';
import { FailureEffects } from './platform-errors/failure-effects.service';
import { PreferenceService } from './suppression/preference.service';

/** Consumes the platform's events and calls the topic that handles them. */
@Injectable()
export class PlatformEventsConsumer extends EventConsumers {
  constructor(
    protected override readonly relay: OutboxRelay,
    private readonly graph: GraphClient,
    inbound: InboundService,
    lateAcceptances: LateAcceptanceService,
    failures: FailureEffects,
    preferences: PreferenceService,
    consumers: ConsumerFactory,
  ) {
    // Redelivered events change nothing: messages are fenced by their id, statuses by the intent's state, preferences by their time.
    const common = { stream: 'PLATFORM', idempotent: true } as const;
    super([
      consumers.create({
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
      consumers.create({
        ...common,
        durable: 'send-statuses',
        type: PlatformStatus,
        handle: async (events, tx) => {
          const published = await lateAcceptances.accept(events, tx);
          return [...published, ...(await failures.apply(events, tx))];
        },
        afterCommit: (published) => relay.publishCommitted(published),
      }),
      consumers.create({
        ...common,
        durable: 'send-preferences',
        type: PlatformPreference,
        // Times have whole seconds, so the order of events decides within a second.
        ordered: true,
        handle: (events, tx) => preferences.apply(events, tx),
        afterCommit: (published) => relay.publishCommitted(published),
      }),
    ]);
  }

  override async onApplicationShutdown(): Promise<void> {
    await super.onApplicationShutdown();
    // Sends call WhatsApp until they stop.
    await this.graph.close();
  }
}
