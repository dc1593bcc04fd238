import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { IntentStore } from './intent.store';
import { SendConfig } from '../send.config';

const MAX_INTERVAL_MS = 15_000;

/** Ends intents whose process died. Replicas may sweep concurrently, because each update checks the intent's state. */
@Injectable()
export class IntentSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<void> = Promise.resolve();

  constructor(
    private readonly intents: IntentStore,
    private readonly config: SendConfig,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const every = Math.min(MAX_INTERVAL_MS, this.config.staleAfterSeconds * 1_000);
    this.timer = setInterval(() => void (this.sweeping = this.sweep()), every);
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    try {
      const unknown = await this.intents.markInterrupted(this.config.staleAfterSeconds);
      const unconfirmed = await this.intents.markUnconfirmed();
      if (unknown + unconfirmed > 0) this.logger.warn({ unknown, unconfirmed }, 'marked sends without an outcome');
    } catch (error) {
      this.logger.warn({ err: error }, 'sweeping intents failed; will retry');
    }
  }
}
