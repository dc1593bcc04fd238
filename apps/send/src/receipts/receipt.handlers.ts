import { Controller } from '@nestjs/common';
import { MarkConversationRead, MarkRead } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { ReceiptService } from './receipt.service';

@Controller()
export class ReceiptHandlers {
  constructor(private readonly receipts: ReceiptService) {}

  @Handles(MarkRead)
  mark: Handler<typeof MarkRead> = (request, context) => this.receipts.mark(request, context);

  @Handles(MarkConversationRead)
  markConversation: Handler<typeof MarkConversationRead> = (request, context) => this.receipts.markConversation(request, context);
}
