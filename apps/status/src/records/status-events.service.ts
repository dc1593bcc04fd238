import { Injectable } from '@nestjs/common';
import { MessageStatusChanged, type EventEnvelope } from '@mgw/contracts';
import { appendToOutbox, newEvent } from '@mgw/events';
import type { Tx } from '@mgw/postgres';
import { WantedEvents } from '@mgw/service';
import { RecordsStore } from './records.store';
import type { AcceptedMessage, StatusRise } from './status-rise';

/** Publishes `message.status` for businesses whose webhooks want it (decision 286). */
@Injectable()
export class StatusEvents {
  constructor(
    private readonly records: RecordsStore,
    private readonly wanted: WantedEvents,
  ) {}

  /** @returns the events, which commit with the rises */
  async append(tx: Tx, rises: StatusRise[]): Promise<EventEnvelope[]> {
    const events = (await this.keepWanted(rises)).map(toEvent);
    await appendToOutbox(tx, 'status', events);
    return events;
  }

  /** The rises of messages whose statuses arrived before their acceptance. */
  async appendEarlier(tx: Tx, messages: AcceptedMessage[]): Promise<EventEnvelope[]> {
    const wanted = await this.keepWanted(messages);
    return wanted.length === 0 ? [] : this.append(tx, await this.records.risesOf(tx, wanted));
  }

  private async keepWanted<T extends { business_id: number }>(items: T[]): Promise<T[]> {
    const businesses = [...new Set(items.map(({ business_id }) => business_id))];
    const isWanted = await Promise.all(businesses.map((id) => this.wanted.isWanted(id, 'message.status')));
    const wanting = new Set(businesses.filter((_, i) => isWanted[i]));
    return items.filter(({ business_id }) => wanting.has(business_id));
  }
}

function toEvent({ failure_reason, error_code, billing, ...rise }: StatusRise): EventEnvelope {
  const { business_id, message_id, status, occurred_at, conversation_id } = rise;
  return newEvent(MessageStatusChanged, {
    id: `message.status:${message_id}:${status}`,
    at: occurred_at,
    business_id,
    key: `conversation:${conversation_id}`,
    data: {
      ...rise,
      ...(failure_reason !== null && { failure_reason }),
      ...(error_code !== null && { error_code }),
      ...(billing && { billing }),
    },
  });
}
