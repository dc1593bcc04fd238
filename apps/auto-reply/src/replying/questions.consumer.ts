import { Injectable } from '@nestjs/common';
import { MessageReceived } from '@mgw/contracts';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { SettingsStore } from '../settings/settings.store';
import { RepliesStore } from './replies.store';

/** Records the messages of customers as questions. */
@Injectable()
export class QuestionsConsumer extends EventConsumers {
  constructor(replies: RepliesStore, settings: SettingsStore, consumers: ConsumerFactory) {
    super([
      consumers.create({
        stream: 'PUBLIC',
        durable: 'auto-reply',
        type: MessageReceived,
        // Only the newest message of a conversation gets a reply.
        ordered: true,
        // Redelivered events have no effect: the message id is unique.
        idempotent: true,
        singleStatement: true,
        latencyTolerant: true,
        isIdle: async () => !(await settings.isAnyEnabled()),
        handle: (events) => replies.record(events),
      }),
    ]);
  }
}
