import { Controller } from '@nestjs/common';
import {
  CreateLabel,
  CreateQuickReply,
  DeleteLabel,
  DeleteQuickReply,
  ListLabels,
  ListQuickReplies,
  UpdateLabel,
  UpdateQuickReply,
  type Label,
  type QuickReply,
  type ReplyOf,
  type RequestOf,
} from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles } from '@mgw/rpc';
import { InboxListStore } from './inbox-list.store';

/** The labels and quick replies of a business. */
@Controller()
export class InboxListsHandlers {
  private readonly labels: InboxListStore<Label>;
  private readonly quickReplies: InboxListStore<QuickReply>;

  constructor(db: Database) {
    this.labels = new InboxListStore<Label>(db, 'labels', ['name', 'color']);
    this.quickReplies = new InboxListStore<QuickReply>(db, 'quick_replies', ['shortcut', 'text']);
  }

  @Handles(ListLabels)
  async listLabels({ business_id }: RequestOf<typeof ListLabels>): Promise<ReplyOf<typeof ListLabels>> {
    return { labels: await this.labels.list(business_id) };
  }

  @Handles(CreateLabel)
  createLabel({ business_id, ...label }: RequestOf<typeof CreateLabel>): Promise<ReplyOf<typeof CreateLabel>> {
    return this.labels.create(business_id, label);
  }

  @Handles(UpdateLabel)
  async updateLabel({ business_id, id, ...label }: RequestOf<typeof UpdateLabel>): Promise<ReplyOf<typeof UpdateLabel>> {
    await this.labels.update(business_id, id, label);
    return {};
  }

  @Handles(DeleteLabel)
  async deleteLabel({ business_id, id }: RequestOf<typeof DeleteLabel>): Promise<ReplyOf<typeof DeleteLabel>> {
    await this.labels.delete(business_id, id);
    return {};
  }

  @Handles(ListQuickReplies)
  async listQuickReplies({ business_id }: RequestOf<typeof ListQuickReplies>): Promise<ReplyOf<typeof ListQuickReplies>> {
    return { quick_replies: await this.quickReplies.list(business_id) };
  }

  @Handles(CreateQuickReply)
  createQuickReply({ business_id, ...reply }: RequestOf<typeof CreateQuickReply>): Promise<ReplyOf<typeof CreateQuickReply>> {
    return this.quickReplies.create(business_id, reply);
  }

  @Handles(UpdateQuickReply)
  async updateQuickReply({ business_id, id, ...reply }: RequestOf<typeof UpdateQuickReply>): Promise<ReplyOf<typeof UpdateQuickReply>> {
    await this.quickReplies.update(business_id, id, reply);
    return {};
  }

  @Handles(DeleteQuickReply)
  async deleteQuickReply({ business_id, id }: RequestOf<typeof DeleteQuickReply>): Promise<ReplyOf<typeof DeleteQuickReply>> {
    await this.quickReplies.delete(business_id, id);
    return {};
  }
}
