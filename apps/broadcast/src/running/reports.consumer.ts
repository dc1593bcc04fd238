import { Injectable } from '@nestjs/common';
import { deliveryStatus, MessageReceived, PlatformStatus, type EventEnvelope } from '@mgw/contracts';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { ReportsStore, type Reply, type Report } from './reports.store';

/** Consumes the platform's reports on messages (decision 26), and the replies of customers. */
@Injectable()
export class ReportsConsumer extends EventConsumers {
  constructor(reports: ReportsStore, consumers: ConsumerFactory) {
    super([
      consumers.create({
        durable: 'broadcast-statuses',
        stream: 'PLATFORM',
        type: PlatformStatus,
        concurrency: 256,
        // Redelivered events have no effect: one row per message holds the report, and the highest rank wins.
        idempotent: true,
        latencyTolerant: true,
        handle: async (events, tx) => {
          const relevant = events.flatMap(reportOf);
          if (relevant.length > 0) await reports.apply(tx, relevant);
        },
      }),
      consumers.create({
        durable: 'broadcast-replies',
        stream: 'PUBLIC',
        type: MessageReceived,
        concurrency: 256,
        // Redelivered events have no effect: the first reply stays.
        idempotent: true,
        latencyTolerant: true,
        handle: (events, tx) => reports.applyReplies(tx, events.flatMap(replyOf)),
      }),
    ]);
  }
}

/** @returns nothing for a reaction, which is no reply */
function replyOf({ business_id, at, data: { from, type, context } }: EventEnvelope<typeof MessageReceived>): Reply[] {
  return type === 'reaction' ? [] : [{ business_id, phone: from, quoted: context?.message_id ?? null, at }];
}

/** @returns nothing for sent, which the outcome of the send has reported, and for unknown words */
function reportOf({ business_id, data: { message_id: messageId, status: word, error } }: EventEnvelope<typeof PlatformStatus>): Report[] {
  const known = deliveryStatus(word);
  if (!known || known.status === 'sent') return [];
  const { status, rank } = known;
  if (status !== 'failed') return [{ business_id, messageId, rank, reason: null }];
  const reason = error ? `${error.code ?? 'no code'}: ${error.text}` : 'The platform reported a failure without details.';
  return [{ business_id, messageId, rank, reason }];
}
