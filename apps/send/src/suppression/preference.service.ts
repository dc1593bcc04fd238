import { Injectable } from '@nestjs/common';
import type { EventEnvelope, PlatformPreference } from '@mgw/contracts';
import type { Tx } from '@mgw/postgres';
import { ConversationService } from '../conversations/conversation.service';
import { SuppressionChanges } from './suppression-changes.service';
import { SuppressionStore } from './suppression.store';

const STATES: Record<string, 'opted_out_marketing' | null> = { stop: 'opted_out_marketing', resume: null, signup: null };

/** Applies people's marketing preferences, which they set in WhatsApp (decision 18, platform §4.6). */
@Injectable()
export class PreferenceService {
  constructor(
    private readonly conversations: ConversationService,
    private readonly suppressions: SuppressionStore,
    private readonly changes: SuppressionChanges,
  ) {}

  /** @returns the events to publish */
  async apply(events: EventEnvelope<typeof PlatformPreference>[], tx: Tx): Promise<EventEnvelope[]> {
    const known = events.filter(({ data }) => data.category === 'marketing_messages' && Object.hasOwn(STATES, data.value));
    if (known.length === 0) return [];
    const persons = known.map(({ business_id, data: { from } }) => ({
      businessId: business_id,
      phone: from.phone,
      userId: from.user_id,
      waId: null,
    }));
    const conversations = await this.conversations.findOrOpen(tx, persons);
    const published: EventEnvelope[] = [];
    for (const [i, { business_id: businessId, data }] of known.entries()) {
      const id = conversations[i] as number;
      const change = { businessId, conversations: [id], source: 'platform' as const, at: data.said_at };
      const write = () => this.suppressions.set(tx, id, 'platform', STATES[data.value] ?? null, data.said_at);
      published.push(...(await this.changes.apply(tx, change, write)).events);
    }
    return published;
  }
}
