import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { PlatformMessage, PlatformPreference, PlatformStatus } from '@mgw/contracts';
import { EventConsumer, OutboxRelay, type EventConsumerOptions } from '@mgw/events';
import { Database } from '@mgw/postgres';
import { LOGGER, NATS } from '@mgw/service';
import { GraphClient } from '@mgw/platform-api';
import { identityChange, type InboundEvent } from './inbound/inbound-message';
import { InboundService } from './inbound/inbound.service';
import { PreferenceService } from './suppression/preference.service';
import { FailureEffects } from './platform-errors/failure-effects.service';
import { LateAcceptanceService } from './intents/late-acceptance.service';

/** Hears what the platform says about people and messages, and tells what follows from it. */
@Injectable()
export class PlatformEventsConsumer implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly consumers: EventConsumer[];

  constructor(
    private readonly relay: OutboxRelay,
    private readonly graph: GraphClient,
    inbound: InboundService,
    settling: LateAcceptanceService,
    failures: FailureEffects,
    preferences: PreferenceService,
    db: Database,
    @Inject(NATS) nc: EventConsumerOptions['nc'],
    @Inject(LOGGER) logger: EventConsumerOptions['logger'],
  ) {
    // Messages have their id, statuses the intent's state, preferences their time.
    const common = { nc, db, logger, schema: 'send', stream: 'PLATFORM', guarded: true } as const;
    this.consumers = [
      new EventConsumer({
        ...common,
        durable: 'send-messages',
        type: PlatformMessage,
        // The first one begins the conversation, and all are told as they were written (product decisions 28, 29b).
        ordered: true,
        // A change of names, told again after a later one, would undo it.
        guarded: (event) => identityChange(event as InboundEvent) === null,
        handle: (events, tx) => inbound.receive(events as InboundEvent[], tx),
        committed: (told) => relay.tell(told),
      }),
      new EventConsumer({
        ...common,
        durable: 'send-statuses',
        type: PlatformStatus,
        handle: async (events, tx) => {
          const statuses = events as Parameters<LateAcceptanceService['accept']>[0];
          const told = await settling.accept(statuses, tx);
          await failures.apply(statuses, tx);
          return told;
        },
        committed: (told) => relay.tell(told),
      }),
      new EventConsumer({
        ...common,
        durable: 'send-preferences',
        type: PlatformPreference,
        // Times are in seconds: of two in one second the later one holds.
        ordered: true,
        handle: (events, tx) => preferences.apply(events as Parameters<PreferenceService['apply']>[0], tx),
      }),
    ];
  }

  onApplicationBootstrap(): void {
    this.relay.start();
    for (const consumer of this.consumers) consumer.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.stop()));
    await this.relay.stop();
    await this.graph.close();
  }
}
