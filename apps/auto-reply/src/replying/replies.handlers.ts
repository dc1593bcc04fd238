import { Controller } from '@nestjs/common';
import { FindUnanswered, GatewayError, ListAutoReplies, TryAutoReply, type ResponseOf, type RequestOf } from '@mgw/contracts';
import { Handles, type Handler } from '@mgw/rpc';
import { Shares } from '@mgw/shares';
import { SettingsStore } from '../settings/settings.store';
import { ModelFailure, ModelService } from './model.service';
import { RepliesStore } from './replies.store';

/** Concurrent trial replies for the dashboard, and the share of one business. */
const TRIALS = { places: 32, largest: 1 / 8 };

@Controller()
export class RepliesHandlers {
  private readonly trials = new Shares(TRIALS);

  constructor(
    private readonly replies: RepliesStore,
    private readonly settings: SettingsStore,
    private readonly models: ModelService,
  ) {}

  @Handles(ListAutoReplies)
  list: Handler<typeof ListAutoReplies> = ({ business_id, limit, cursor }) => this.replies.list(business_id, limit, cursor);

  @Handles(FindUnanswered)
  unanswered: Handler<typeof FindUnanswered> = async ({ business_id, conversation_ids }) => ({
    unanswered: await this.replies.unanswered(business_id, conversation_ids),
  });

  @Handles(TryAutoReply)
  async try({ business_id, text }: RequestOf<typeof TryAutoReply>): Promise<ResponseOf<typeof TryAutoReply>> {
    const release = this.trials.tryTake(String(business_id));
    if (release === null)
      throw new GatewayError(
        'MODEL_UNAVAILABLE',
        'No reply: earlier trials are still waiting for the model. Try again when they have ended.',
      );
    try {
      const settings = await this.settings.forBusiness(business_id);
      const key = this.models.openKey(business_id, settings);
      return { reply: await this.models.reply(settings, key, [{ role: 'user', content: text }]) };
    } catch (error) {
      if (error instanceof ModelFailure) throw new GatewayError('MODEL_UNAVAILABLE', `No reply: ${error.message}.`);
      throw error;
    } finally {
      release();
    }
  }
}
