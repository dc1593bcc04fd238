import { Injectable } from '@nestjs/common';
import { PlatformStatus, deliveryStatus, type EventEnvelope } from '@mgw/contracts';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { ReportsStore, type Report } from './reports.store';

/** Consumes reports of messages that the platform could not deliver, and of those that were read after all (decision 26). */
@Injectable()
export class ReportsConsumer extends EventConsumers {
  constructor(reports: ReportsStore, consumers: ConsumerFactory) {
    super([
      consumers.create({
        durable: 'broadcast-statuses',
        stream: 'PLATFORM',
        type: PlatformStatus,
        concurrency: 256,
        // Redelivered events have no effect: one row per message holds the report, and read wins.
        idempotent: true,
        latencyTolerant: true,
        handle: async (events, tx) => {
          const relevant = events.flatMap(reportOf);
          if (relevant.length > 0) await reports.apply(tx, relevant);
        },
      }),
    ]);
  }
}

/** @returns nothing for a status other than read and failed */
function reportOf({ business_id, data: { message_id: messageId, status: word, error } }: EventEnvelope<typeof PlatformStatus>): Report[] {
  const status = deliveryStatus(word)?.status;
  if (status === 'read') return [{ business_id, messageId, reason: null }];
  if (status !== 'failed') return [];
  const reason = error ? `${error.code ?? 'no code'}: ${error.text}` : 'The platform reported a failure without details.';
  return [{ business_id, messageId, reason }];
}
