import { Controller } from '@nestjs/common';
import {
  AddNote,
  FindConversation,
  GetThread,
  ListConversations,
  ListInboundMessages,
  notFound,
  UnassignConversations,
  UpdateConversation,
  type ConversationRecord,
  type ResponseOf,
  type RequestOf,
} from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles, type Handler } from '@mgw/rpc';
import { ConversationService } from '../conversations/conversation.service';
import { InboundLogStore } from './inbound-log.store';
import { ConversationChangesStore } from './conversation-changes.store';
import { InboxStore } from './inbox.store';
import { ThreadStore } from './thread.store';

/** Requests about conversations (spec §10). */
@Controller()
export class InboxHandlers {
  constructor(
    private readonly inbox: InboxStore,
    private readonly threads: ThreadStore,
    private readonly changes: ConversationChangesStore,
    private readonly inbound: InboundLogStore,
    private readonly conversations: ConversationService,
    private readonly db: Database,
  ) {}

  @Handles(ListConversations)
  list: Handler<typeof ListConversations> = (request) => this.inbox.list(request);

  @Handles(GetThread)
  async thread(request: RequestOf<typeof GetThread>): Promise<ResponseOf<typeof GetThread>> {
    const conversation = await this.byId(request);
    return { conversation, ...(await this.threads.page(request, conversation.id)) };
  }

  @Handles(FindConversation)
  async findByPhone({ business_id, phone }: RequestOf<typeof FindConversation>): Promise<ResponseOf<typeof FindConversation>> {
    await this.conversations.restoreOptOuts(this.db, [{ businessId: business_id, alias: phone }]);
    return { conversation: await this.inbox.findByAlias(business_id, phone) };
  }

  @Handles(ListInboundMessages)
  listInbound: Handler<typeof ListInboundMessages> = (request) => this.inbound.list(request);

  @Handles(UpdateConversation)
  async update(request: RequestOf<typeof UpdateConversation>): Promise<ResponseOf<typeof UpdateConversation>> {
    const { business_id, conversation_id, ...change } = request;
    await this.changes.change(business_id, conversation_id, change);
    return { conversation: await this.byId(request) };
  }

  @Handles(UnassignConversations)
  unassign: Handler<typeof UnassignConversations> = ({ business_id, user_id }) => this.changes.unassign(business_id, user_id);

  @Handles(AddNote)
  addNote: Handler<typeof AddNote> = (request) => this.changes.addNote(request);

  private async byId({ business_id, conversation_id }: { business_id: number; conversation_id: number }): Promise<ConversationRecord> {
    const conversation = await this.inbox.find(business_id, conversation_id);
    if (!conversation) throw notFound();
    return conversation;
  }
}
