import { Injectable } from '@nestjs/common';
import { isIntentId, type EventEnvelope, type PlatformStatus } from '@mgw/contracts';
import { traceparentOf } from '@mgw/events';
import { userIdOf, waIdOf } from '@mgw/phone';
import type { Tx } from '@mgw/postgres';
import { IntentStore } from './intent.store';
import { OutcomeService } from './outcome.service';

type StatusEvent = EventEnvelope<typeof PlatformStatus>;

/**
 * Any status callback proves that the platform accepted the message. If the process died or the response was lost, the acceptance is
 * recorded here (guarantees §1, S4).
 */
@Injectable()
export class LateAcceptanceService {
  constructor(
    private readonly intents: IntentStore,
    private readonly outcomes: OutcomeService,
  ) {}

  /** @returns the events to publish */
  async accept(events: StatusEvent[], tx: Tx): Promise<EventEnvelope[]> {
    const first = new Map<string, StatusEvent>();
    for (const event of events) {
      const id = event.data.callback_data;
      if (id !== null && isIntentId(id) && !first.has(id)) first.set(id, event);
    }
    if (first.size === 0) return [];
    const intents = await this.intents.findOpen(tx, [...first.keys()]);
    // Callback data is untrusted, so the event's business must own the intent.
    const ours = intents.filter((intent) => first.get(intent.id)?.business_id === intent.businessId);
    if (ours.length === 0) return [];
    return this.outcomes.acceptedWithin(
      tx,
      ours.map((intent) => {
        const event = first.get(intent.id) as StatusEvent;
        const { data } = event;
        return {
          intent: { ...intent, traceparent: traceparentOf(event) },
          messageId: data.message_id,
          waId: waIdOf(data.recipient),
          userId: userIdOf(data.recipient),
          acceptedAt: notAfterNow(data.occurred_at),
          conversationId: null,
          repaired: true,
        };
      }),
    );
  }
}

/** A message from the future would stay the newest of its thread (decision 707). */
const notAfterNow = (at: string): string => new Date(Math.min(Date.parse(at), Date.now())).toISOString();
