import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { UsageStore } from './usage.store';

const FOLD_EVERY_MS = 10_000;
/** Lets other work run between two statements. */
const PAUSE_MS = 50;

/** Folds changes into the usage counts; a lock lets one replica fold at a time. */
@Injectable()
export class UsageFolding implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly loop: BackgroundLoop;

  constructor(usage: UsageStore, @Inject(LOGGER) logger: Logger) {
    const run = async () => ((await usage.fold()) ? PAUSE_MS : FOLD_EVERY_MS);
    this.loop = new BackgroundLoop({ name: 'folding usage counts', logger, run, retryMs: FOLD_EVERY_MS });
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.loop.stop();
  }
}
