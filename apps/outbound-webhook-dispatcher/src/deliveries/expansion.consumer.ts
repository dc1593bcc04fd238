import { Injectable } from '@nestjs/common';
import { OutboxRelay } from '@mgw/events';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { BacklogService } from './backlog.service';
import { DispatchService } from './dispatch.service';

/** Stores a delivery of each event for each subscribed webhook. A stored delivery cannot get lost (guarantees §4, D1). */
@Injectable()
export class ExpansionConsumer extends EventConsumers {
  constructor(
    protected override readonly relay: OutboxRelay,
    dispatch: DispatchService,
    backlog: BacklogService,
    consumers: ConsumerFactory,
  ) {
    super([
      consumers.create({
        durable: 'outbound-webhook-dispatcher',
        stream: 'PUBLIC',
        // Earlier events of a conversation are stored before later ones (decision 29b).
        ordered: true,
        singleStatement: true,
        handle: async (events) => {
          if (await dispatch.expand(events)) backlog.wake();
        },
      }),
    ]);
  }
}
