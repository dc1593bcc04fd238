import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { SendConfig } from '../send.config';
import { IntentStore } from './intent.store';

const MAX_INTERVAL_MS = 15_000;

/** Ends intents whose process died. Replicas may sweep concurrently, because each update checks the intent's state. */
@Injectable()
export class IntentSweeper implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: BackgroundLoop;

  constructor(intents: IntentStore, { staleAfterSeconds }: SendConfig, @Inject(LOGGER) logger: Logger) {
    const intervalMs = Math.min(MAX_INTERVAL_MS, staleAfterSeconds * 1_000);
    const sweep = async () => {
      const unknown = await intents.markInterrupted(staleAfterSeconds);
      const unconfirmed = await intents.markUnconfirmed();
      if (unknown + unconfirmed > 0) logger.warn({ unknown, unconfirmed }, 'marked sends without an outcome');
      return intervalMs;
    };
    this.loop = new BackgroundLoop({ name: 'sweeping intents', logger, retryMs: intervalMs, run: sweep });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }
}
