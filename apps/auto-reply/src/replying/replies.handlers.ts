import { Controller } from '@nestjs/common';
import { GatewayError, ListAutoReplies, TryAutoReply, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { SettingsStore } from '../settings/settings.store';
import { ModelFailure, ModelService } from './model.service';
import { RepliesStore } from './replies.store';

@Controller()
export class RepliesHandlers {
  constructor(
    private readonly replies: RepliesStore,
    private readonly settings: SettingsStore,
    private readonly models: ModelService,
  ) {}

  @Handles(ListAutoReplies)
  list({ business_id, limit, cursor }: RequestOf<typeof ListAutoReplies>): Promise<ReplyOf<typeof ListAutoReplies>> {
    return this.replies.list(business_id, limit, cursor);
  }

  @Handles(TryAutoReply)
  async try({ business_id, text }: RequestOf<typeof TryAutoReply>): Promise<ReplyOf<typeof TryAutoReply>> {
    try {
      const settings = await this.settings.of(business_id);
      return { reply: await this.models.answer(business_id, settings, [{ role: 'user', content: text }]) };
    } catch (error) {
      if (error instanceof ModelFailure) throw new GatewayError('MODEL_UNAVAILABLE', `No reply: ${error.message}.`);
      throw error;
    }
  }
}
