import { Injectable } from '@nestjs/common';
import { gatewayMessageId, intentIdOf, type FoundSend } from '@mgw/contracts';
import { IntentStore } from '../intents/intent.store';

/** Looks up sends for the status endpoints. */
@Injectable()
export class FindSendsService {
  constructor(private readonly intents: IntentStore) {}

  /** @param messageIds the platform's, or `gw_<intent id>` (decision 23a) @returns the sends in this order; null for an unknown id */
  async find(businessId: number, messageIds: string[]): Promise<FoundSend[]> {
    const intentIds = messageIds.map(intentIdOf).filter((id) => id !== null);
    const [byIntent, byMessage] = await Promise.all([
      intentIds.length > 0 ? this.intents.find(businessId, intentIds) : [],
      intentIds.length < messageIds.length ? this.intents.findByMessage(businessId, messageIds) : [],
    ]);
    const found = new Map([
      ...byIntent.map((row) => [gatewayMessageId(row.id), row] as const),
      ...byMessage.map((row) => [row.message_id, row] as const),
    ]);
    return messageIds.map((id) => {
      const row = found.get(id);
      if (!row) return null;
      return {
        message_id: row.message_id ?? gatewayMessageId(row.id),
        state: row.state,
        to: row.recipient,
        at: (row.resolved_at ?? row.created_at).toISOString(),
        failure_reason: row.failure_reason,
      };
    });
  }
}
