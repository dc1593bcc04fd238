import { Injectable } from '@nestjs/common';
import { gatewayMessageId, intentIdOf, type FindSend, type ReplyOf } from '@mgw/contracts';
import { IntentStore } from '../intents/intent.store';

/** Looks up one send for the status endpoint and the dashboard. */
@Injectable()
export class FindSendService {
  constructor(private readonly intents: IntentStore) {}

  /** @param messageId the platform's id, or `gw_<intent id>` (decision 23a) */
  async find(businessId: number, messageId: string): Promise<ReplyOf<typeof FindSend>['send']> {
    const intentId = intentIdOf(messageId);
    const found = await (intentId === null ? this.intents.findByMessage(businessId, messageId) : this.intents.find(businessId, intentId));
    if (!found) return null;
    return {
      message_id: found.message_id ?? gatewayMessageId(found.id),
      state: found.state,
      to: found.recipient,
      at: (found.resolved_at ?? found.created_at).toISOString(),
      failure_reason: found.failure_reason,
    };
  }
}
