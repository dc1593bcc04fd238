import { Injectable } from '@nestjs/common';
import { GatewayError, type MarkConversationRead, type MarkRead, type RequestOf } from '@mgw/contracts';
import { GraphClient, refusedByPlatform, type Refusal } from '@mgw/platform-api';
import type { RpcContext } from '@mgw/rpc';
import { ConnectionService } from '../connection/connection.service';
import { numberBusy } from '../sending/send-errors';
import { ReceiptStore } from './receipt.store';

/** Maximum wait for the number's share of platform calls, in milliseconds. */
const SHARE_WAIT_MS = 2_000;
/** Time for the response before the caller's deadline, in milliseconds. */
const RESPONSE_MS = 500;

/** Marks customers' messages as read. It uses no cap and stores no intent, because it sends no message. */
@Injectable()
export class ReceiptService {
  constructor(
    private readonly graph: GraphClient,
    private readonly connections: ConnectionService,
    private readonly receipts: ReceiptStore,
  ) {}

  /** @throws GatewayError NOT_FOUND for a message that no customer of the business wrote */
  async mark({ business_id, message_id, typing }: RequestOf<typeof MarkRead>, context: RpcContext): Promise<void> {
    if (!(await this.receipts.isReceived(business_id, message_id)))
      throw new GatewayError('NOT_FOUND', 'No message that this business received has this id.', {
        hint: 'Pass the message_id of an event message.received.',
      });
    await this.callPlatform(business_id, { messageId: message_id, typing }, context);
  }

  async markConversation({ business_id, conversation_id }: RequestOf<typeof MarkConversationRead>, context: RpcContext): Promise<void> {
    const messageId = await this.receipts.findUnread(business_id, conversation_id);
    if (messageId === null) return;
    await this.callPlatform(business_id, { messageId, typing: false }, context);
    await this.receipts.recordMarked(conversation_id, messageId);
  }

  private async callPlatform(businessId: number, receipt: { messageId: string; typing: boolean }, context: RpcContext): Promise<void> {
    const connection = await this.connections.forBusiness(businessId, context);
    const release = await this.graph.takePlace(connection.phoneNumberId, SHARE_WAIT_MS);
    if (release === null) throw numberBusy();
    try {
      const outcome = await this.graph.markRead(connection, receipt, context.deadlineAt - RESPONSE_MS);
      if (outcome.kind === 'refused') throw await this.refused(businessId, outcome.refusal);
      if (outcome.kind === 'unavailable')
        throw new GatewayError('PLATFORM_UNAVAILABLE', 'The messaging platform does not respond now.', { hint: 'Try again shortly.' });
    } finally {
      release();
    }
  }

  private async refused(businessId: number, refusal: Refusal): Promise<GatewayError> {
    const { message, platformCode, sideEffect } = refusal;
    // The caller must get the platform's error even if the template service does not respond.
    if (sideEffect === 'connection-problem')
      await this.connections.reportProblem(businessId, platformCode ?? 0, message).catch(() => undefined);
    return refusedByPlatform(refusal);
  }
}
