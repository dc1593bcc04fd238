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
} from '@mgw/contracts';
import { Database } from '@mgw/postgres';
import { Handles, type Handler } from '@mgw/rpc';
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
  listLabels: Handler<typeof ListLabels> = async ({ business_id }) => ({ labels: await this.labels.list(business_id) });

  @Handles(CreateLabel)
  createLabel: Handler<typeof CreateLabel> = ({ business_id, ...label }) => this.labels.create(business_id, label);

  @Handles(UpdateLabel)
  updateLabel: Handler<typeof UpdateLabel> = ({ business_id, id, ...label }) => this.labels.update(business_id, id, label);

  @Handles(DeleteLabel)
  deleteLabel: Handler<typeof DeleteLabel> = async ({ business_id, id }) => {
    const { name } = await this.labels.delete(business_id, id);
    return { name };
  };

  @Handles(ListQuickReplies)
  listQuickReplies: Handler<typeof ListQuickReplies> = async ({ business_id }) => ({
    quick_replies: await this.quickReplies.list(business_id),
  });

  @Handles(CreateQuickReply)
  createQuickReply: Handler<typeof CreateQuickReply> = ({ business_id, ...reply }) => this.quickReplies.create(business_id, reply);

  @Handles(UpdateQuickReply)
  updateQuickReply: Handler<typeof UpdateQuickReply> = ({ business_id, id, ...reply }) => this.quickReplies.update(business_id, id, reply);

  @Handles(DeleteQuickReply)
  deleteQuickReply: Handler<typeof DeleteQuickReply> = async ({ business_id, id }) => {
    const { shortcut } = await this.quickReplies.delete(business_id, id);
    return { shortcut };
  };
}
