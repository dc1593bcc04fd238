import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { SendConfig } from '../send.config';
import { IntentStore, MAX_MARKED } from './intent.store';

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
    const unknown = await this.markAll(() => this.intents.markInterrupted(staleAfterSeconds));
    const unconfirmed = await this.markAll(() => this.intents.markUnconfirmed());
    if (unknown + unconfirmed > 0) this.logger.warn({ unknown, unconfirmed }, 'marked sends without an outcome');
    return Math.min(INTERVAL_MS, staleAfterSeconds * 1_000);
  }

  /** @param mark marks up to MAX_MARKED sends @returns how many all calls marked */
  private async markAll(mark: () => Promise<number>): Promise<number> {
    let [total, marked] = [0, 0];
    do {
      marked = await mark();
      total += marked;
    } while (marked === MAX_MARKED && !this.isStopping);
    return total;
  }
}
