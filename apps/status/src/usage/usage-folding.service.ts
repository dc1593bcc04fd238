import { Inject, Injectable } from '@nestjs/common';
import { BackgroundLoop, LOGGER } from '@mgw/service';
import type { Logger } from '@mgw/telemetry';
import { UsageStore } from './usage.store';

const FOLD_EVERY_MS = 10_000;
/** Lets other work run between two statements. */
const PAUSE_MS = 50;

/** Folds changes into the usage counts; a lock lets one replica fold at a time. */
@Injectable()
export class UsageFolding extends BackgroundLoop {
  constructor(
    private readonly usage: UsageStore,
    @Inject(LOGGER) logger: Logger,
  ) {
    super({ name: 'folding usage counts', logger, retryMs: FOLD_EVERY_MS });
  }

  protected async round(): Promise<number> {
    return (await this.usage.fold()) ? PAUSE_MS : FOLD_EVERY_MS;
  }
}
