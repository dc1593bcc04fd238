import { Injectable } from '@nestjs/common';
import { MessageNotSent, MessageSent, PlatformStatus } from '@mgw/contracts';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { RecordsStore } from './records.store';

/** Consumes acceptances of the send service and statuses of the platform in any order. */
@Injectable()
export class RecordsConsumer extends EventConsumers {
  constructor(store: RecordsStore, consumers: ConsumerFactory) {
    // Redelivered events have no effect: a record's rank only rises, and the history has a unique key.
    const common = { concurrency: 256, idempotent: true, latencyTolerant: true } as const;
    super([
      consumers.create({
        ...common,
        durable: 'status-acceptances',
        stream: 'PUBLIC',
        type: MessageSent,
        handle: (events, tx) => store.accept(tx, events),
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
        handle: (events, tx) => store.advance(tx, events),
      }),
    ]);
  }
}
