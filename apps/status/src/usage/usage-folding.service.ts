import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { UsageStore } from './usage.store';

const FOLD_EVERY_MS = 10_000;
/** Lets other work run between two statements. */
const PAUSE_MS = 50;

/** Folds changes into the usage counts; a lock lets one replica fold at a time. */
@Injectable()
export class UsageFolding implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(
    private readonly usage: UsageStore,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.ended = this.run();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      const isMore = await this.usage.fold().catch((error: unknown) => {
        this.logger.warn({ err: error }, 'folding usage counts failed; will retry');
        return false;
      });
      if (!this.stopped) await this.signal.wait(isMore ? PAUSE_MS : FOLD_EVERY_MS);
    }
  }
}
