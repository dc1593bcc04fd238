import { Controller } from '@nestjs/common';
import { GatewayError, GetThread, ListConversations, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { InboxStore } from './inbox.store';
import { ThreadStore } from './thread.store';

/** The dashboard's requests about conversations (spec §10). */
@Controller()
export class InboxHandlers {
  constructor(
    private readonly inbox: InboxStore,
    private readonly threads: ThreadStore,
  ) {}

  @Handles(ListConversations)
  list(request: RequestOf<typeof ListConversations>): Promise<ReplyOf<typeof ListConversations>> {
    return this.inbox.list(request);
  }

  @Handles(GetThread)
  async thread(request: RequestOf<typeof GetThread>): Promise<ReplyOf<typeof GetThread>> {
    const conversation = await this.inbox.find(request.business_id, request.conversation_id);
    if (!conversation) throw new GatewayError('NOT_FOUND', 'No resource has this id.');
    return { conversation, ...(await this.threads.page(request, conversation.id)) };
  }
}
