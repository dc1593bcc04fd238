import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Signal } from '@mgw/events';
import { LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { UsageStore } from './usage.store';

const FOLD_EVERY_MS = 10_000;
/** Between two statements, so that other work comes in between. */
const PAUSE_MS = 50;

/** Folds the changes of the counts; replicas take turns. */
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
    this.signal.give();
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
