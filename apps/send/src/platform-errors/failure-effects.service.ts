import { Injectable } from '@nestjs/common';
import type { EventEnvelope, PlatformStatus } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import type { SentMessageRef } from '../conversations/conversation.store';
import { SuppressionChanges } from '../suppression/suppression-changes.service';
import { SuppressionStore } from '../suppression/suppression.store';
import { WindowStore } from '../window/window.store';

type StatusEvent = EventEnvelope<typeof PlatformStatus>;

const WINDOW_CLOSED = 131047;
const STOPPED_MARKETING = 131050;

/** Updates the gateway's state after a status `failed`, like RefusalEffects after a refusal (platform §0.13, §2). */
@Injectable()
export class FailureEffects {
  constructor(
    private readonly windows: WindowStore,
    private readonly suppressions: SuppressionStore,
    private readonly changes: SuppressionChanges,
  ) {}

  /** @returns the events to publish */
  async apply(events: StatusEvent[], tx: Tx): Promise<EventEnvelope[]> {
    const published: EventEnvelope[] = [];
    for (const { business_id, data } of events) {
      if (data.status !== 'failed') continue;
      const message = { businessId: business_id, messageId: data.message_id, recipient: data.recipient };
      if (data.error?.code === WINDOW_CLOSED) await this.windows.markClosedByMessage(tx, message, data.occurred_at);
      if (data.error?.code === STOPPED_MARKETING) published.push(...(await this.stopMarketing(tx, message, data.occurred_at)));
    }
    return published;
  }

  /** The person opted out of marketing. */
  private async stopMarketing(tx: Tx, message: SentMessageRef, at: string): Promise<EventEnvelope[]> {
    const id = await this.suppressions.findByMessage(tx, message);
    if (id === null) return [];
    const change = { businessId: message.businessId, conversations: [id], source: 'platform' as const, at };
    return (await this.changes.apply(tx, change, () => this.suppressions.set(tx, id, 'platform', 'opted_out_marketing', at))).events;
  }
}
