import { Injectable } from '@nestjs/common';
import { newIntentId, SuppressionChanged, type EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, newEvent } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { WantedEvents } from '@mgw/service';
import type { SuppressionSource } from './suppression';
import { SuppressionStore, type SuppressedPerson } from './suppression.store';

interface SuppressionChange {
  businessId: number;
  conversations: number[];
  source: SuppressionSource;
  reason?: string | null;
  /** Null for now. */
  at: string | null;
}

/** Publishes `suppression.changed` for people whose strictest suppression a change moves (decision 365). */
@Injectable()
export class SuppressionChanges {
  constructor(
    private readonly suppressions: SuppressionStore,
    private readonly wanted: WantedEvents,
  ) {}

  /** @param write makes the change @returns its result, and the events that commit with it */
  async apply<T>(tx: Tx, change: SuppressionChange, write: () => Promise<T>): Promise<{ result: T; events: EventEnvelope[] }> {
    const { businessId, conversations } = change;
    if (!(await this.wanted.isWanted(businessId, 'suppression.changed'))) return { result: await write(), events: [] };
    await this.suppressions.lock(tx, conversations);
    const before = new Map((await this.suppressions.strictest(tx, conversations)).map((person) => [person.conversationId, person.state]));
    const result = await write();
    const after = await this.suppressions.strictest(tx, conversations);
    const events = after.flatMap((person) => {
      const previous = before.get(person.conversationId) ?? null;
      return person.state === previous ? [] : [toEvent(person, previous, change)];
    });
    await appendToOutbox(tx, 'send', events);
    return { result, events };
  }
}

function toEvent(
  { conversationId, phone, state }: SuppressedPerson,
  previous_state: SuppressedPerson['state'],
  { businessId: business_id, source, reason, at: given }: SuppressionChange,
): EventEnvelope {
  const at = given ?? new Date().toISOString();
  return newEvent(SuppressionChanged, {
    id: `suppression.changed:${newIntentId()}`,
    at,
    business_id,
    key: `conversation:${conversationId}`,
    data: { phone, state, previous_state, source, ...(reason && { reason }), at, business_id },
  });
}
