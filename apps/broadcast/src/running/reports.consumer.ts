import { Injectable } from '@nestjs/common';
import { RefreshedValue } from '@mgw/caching';
import { deliveryStatus, MessageReceived, PlatformStatus, type EventEnvelope } from '@mgw/contracts';
import { failureReason } from '@mgw/platform-api';
import { Database } from '@mgw/postgres';
import { ConsumerFactory, EventConsumers } from '@mgw/service';
import { causeOfReport } from './pause-cause';
import { ReportsStore, type CustomerMessage, type Report } from './reports.store';

/** Finds a row if a message of any business may still get a reply (reports.store.ts). An index serves each part. */
const AWAITS_REPLIES = `
  SELECT 1 FROM broadcast.broadcasts WHERE started_at IS NOT NULL AND finished_at IS NULL
  UNION ALL SELECT 1 FROM broadcast.broadcasts WHERE finished_at > now() - interval '25 hours' LIMIT 1`;
/** How long the result of that query counts, in milliseconds. */
const FRESH_MS = 500;

/** Consumes the platform's reports on messages (decision 26), and the replies of customers. */
@Injectable()
export class ReportsConsumer extends EventConsumers {
  constructor(reports: ReportsStore, consumers: ConsumerFactory, db: Database) {
    const awaitsReplies = new RefreshedValue<boolean>({ load: async () => (await db.query(AWAITS_REPLIES)).length > 0 });
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
        isIdle: async () => !(await awaitsReplies.get(FRESH_MS)),
        handle: (events, tx) => reports.applyCustomerMessages(tx, events.flatMap(customerMessageOf)),
      }),
    ]);
  }
}

/** @returns nothing for a reaction, which does not count as a reply */
function customerMessageOf({ business_id, at, data: { from, type, context } }: EventEnvelope<typeof MessageReceived>): CustomerMessage[] {
  return type === 'reaction' ? [] : [{ business_id, phone: from, quoted: context?.message_id ?? null, at }];
}

/** @returns nothing for sent, which the outcome of the send has reported, and for unknown words */
function reportOf({ business_id, data: { message_id: messageId, status: word, error } }: EventEnvelope<typeof PlatformStatus>): Report[] {
  const known = deliveryStatus(word);
  if (!known || known.status === 'sent') return [];
  const { status, rank } = known;
  if (status !== 'failed') return [{ business_id, messageId, rank, reason: null }];
  return [{ business_id, messageId, rank, reason: failureReason(error), cause: causeOfReport(error?.code) }];
}
