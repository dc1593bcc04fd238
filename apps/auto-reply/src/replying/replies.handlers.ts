import { Controller } from '@nestjs/common';
import { FindUnanswered, GatewayError, ListAutoReplies, TryAutoReply, type ReplyOf, type RequestOf } from '@mgw/contracts';
import { Handles } from '@mgw/rpc';
import { Shares } from '@mgw/shares';
import { SettingsStore } from '../settings/settings.store';
import { ModelFailure, ModelService } from './model.service';
import { RepliesStore } from './replies.store';

/** Tries from the dashboard that wait for models at once, and the part of them that one business may take. */
const TRIES = { places: 32, largest: 1 / 8 };

@Controller()
export class RepliesHandlers {
  private readonly tries = new Shares(TRIES);

  constructor(
    private readonly replies: RepliesStore,
    private readonly settings: SettingsStore,
    private readonly models: ModelService,
  ) {}

  @Handles(ListAutoReplies)
  list({ business_id, limit, cursor }: RequestOf<typeof ListAutoReplies>): Promise<ReplyOf<typeof ListAutoReplies>> {
    return this.replies.list(business_id, limit, cursor);
  }

  @Handles(FindUnanswered)
  async unanswered({ business_id, conversation_ids }: RequestOf<typeof FindUnanswered>): Promise<ReplyOf<typeof FindUnanswered>> {
    return { unanswered: await this.replies.unanswered(business_id, conversation_ids) };
  }

  @Handles(TryAutoReply)
  async try({ business_id, text }: RequestOf<typeof TryAutoReply>): Promise<ReplyOf<typeof TryAutoReply>> {
    const release = this.tries.tryTake(String(business_id));
    if (release === null)
      throw new GatewayError('MODEL_UNAVAILABLE', 'No reply: earlier tries still wait for the model. Try again when they have ended.');
    try {
      const settings = await this.settings.of(business_id);
      return { reply: await this.models.answer(business_id, settings, [{ role: 'user', content: text }]) };
    } catch (error) {
      if (error instanceof ModelFailure) throw new GatewayError('MODEL_UNAVAILABLE', `No reply: ${error.message}.`);
      throw error;
    } finally {
      release();
    }
  }
}
