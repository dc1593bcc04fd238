import { Controller } from '@nestjs/common';
import { MarkConversationRead, MarkRead, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles, type RpcContext } from '@mgw/rpc';
import { ReceiptService } from './receipt.service';

@Controller()
export class ReceiptHandlers {
  constructor(private readonly receipts: ReceiptService) {}

  @Handles(MarkRead)
  async mark(request: RequestOf<typeof MarkRead>, context: RpcContext): Promise<ReplyOf<typeof MarkRead>> {
    await this.receipts.mark(request, context);
    return {};
  }

  @Handles(MarkConversationRead)
  async markConversation(
    request: RequestOf<typeof MarkConversationRead>,
    context: RpcContext,
  ): Promise<ReplyOf<typeof MarkConversationRead>> {
    await this.receipts.markConversation(request, context);
    return {};
  }
}
