import { Injectable } from '@nestjs/common';
import { MessageNotSent, MessageSent, PlatformStatus, type EventEnvelope } from '@mgw/contracts';
import { OutboxRelay } from '@mgw/events';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { RecordsStore } from './records.store';
import { StatusEvents } from './status-events.service';

/** Consumes acceptances of the send service and statuses of the platform in any order. */
@Injectable()
export class RecordsConsumer extends EventConsumers {
  constructor(
    protected override readonly relay: OutboxRelay,
    store: RecordsStore,
    statusEvents: StatusEvents,
    consumers: ConsumerFactory,
  ) {
    // Redelivered events have no effect: a record's rank only rises, and the history has a unique key.
    const common = { concurrency: 256, idempotent: true, latencyTolerant: true } as const;
    const afterCommit = (published: EventEnvelope[]) => {
      if (published.length > 0) relay.wake();
    };
    super([
      consumers.create({
        ...common,
        durable: 'status-acceptances',
        stream: 'PUBLIC',
        type: MessageSent,
        handle: async (events, tx) => statusEvents.appendEarlier(tx, await store.accept(tx, events)),
        afterCommit,
      }),
      consumers.create({
        ...common,
        durable: 'status-failures',
        stream: 'SENDING',
        type: MessageNotSent,
        handle: (events, tx) => store.fail(tx, events),
      }),
      consumers.create({
        ...common,
        durable: 'status-statuses',
        stream: 'PLATFORM',
        type: PlatformStatus,
        handle: async (events, tx) => statusEvents.append(tx, await store.advance(tx, events)),
        afterCommit,
      }),
    ]);
  }
}
