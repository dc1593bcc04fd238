import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { SendConfig } from '../send.config';
import { IntentStore } from './intent.store';

const INTERVAL_MS = 15_000;

/** Ends intents whose process died. Replicas may sweep concurrently, because each update checks the intent's state. */
@Injectable()
export class IntentSweeper extends BackgroundLoop {
  constructor(
    private readonly intents: IntentStore,
    private readonly config: SendConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    super({ name: 'sweeping intents', logger, retryMs: INTERVAL_MS });
  }

  protected async round(): Promise<number> {
    const { staleAfterSeconds } = this.config;
    const unknown = await this.intents.markInterrupted(staleAfterSeconds);
    const unconfirmed = await this.intents.markUnconfirmed();
    if (unknown + unconfirmed > 0) this.logger.warn({ unknown, unconfirmed }, 'marked sends without an outcome');
    return Math.min(INTERVAL_MS, staleAfterSeconds * 1_000);
  }
}
