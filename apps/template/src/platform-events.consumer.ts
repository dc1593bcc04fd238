import { Injectable } from '@nestjs/common';
import { PlatformAccountUpdate, PlatformTemplateUpdate, type EventEnvelope, type EventType } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import type { Tx } from '@mgw/postgres';
import { AccountUpdates } from './connections/account-updates.service';
import { TemplateUpdates } from './templates/template-updates.service';

interface Updates<E extends EventType> {
  apply(events: EventEnvelope<E>[], tx: Tx): Promise<void>;
  /** Call it after the commit. */
  announce(businessIds: Iterable<number>): void;
}

/** Consumes the platform's template and account updates. */
@Injectable()
export class PlatformEventsConsumer extends EventConsumers {
  constructor(
    protected override readonly relay: OutboxRelay,
    templates: TemplateUpdates,
    accounts: AccountUpdates,
    consumers: ConsumerFactory,
  ) {
    super([
      consumers.create({ durable: 'template-updates', type: PlatformTemplateUpdate, ...appliedBy(templates) }),
      consumers.create({ durable: 'template-accounts', type: PlatformAccountUpdate, ...appliedBy(accounts) }),
    ]);
  }
}

function appliedBy<E extends EventType>(updates: Updates<E>) {
  return {
    stream: 'PLATFORM' as const,
    // The latest update wins.
    ordered: true,
    handle: async (events: EventEnvelope<E>[], tx: Tx) => {
      await updates.apply(events, tx);
      return events;
    },
    afterCommit: (events: EventEnvelope[]) => updates.announce(new Set(events.map(({ business_id }) => business_id))),
  };
}
