import { Signal } from '@mgw/events';
import type { Logger } from '@mgw/telemetry';

export interface BackgroundLoopOptions {
  /** The work, for the log line "<name> failed; will retry". */
  name: string;
  logger: Logger;
  /** Does one round. @returns milliseconds until the next one */
  run(): Promise<number>;
  /** Pause after an error, in milliseconds. */
  retryMs: number;
}

/** Repeats work while the service runs. A stop waits for the round in progress. */
export class BackgroundLoop {
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: BackgroundLoopOptions) {}

  get isStopping(): boolean {
    return this.stopped;
  }

  start(): void {
    this.ended = this.repeat();
  }

  /** Begins the next round at once. */
  wake(): void {
    this.signal.notify();
  }

  /** Waits within a round; a stop ends the wait. */
  async pause(ms: number): Promise<void> {
    if (!this.stopped && ms > 0) await this.signal.wait(ms);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.signal.notify();
    await this.ended;
  }

  private async repeat(): Promise<void> {
    const { name, logger, run, retryMs } = this.options;
    while (!this.stopped) {
      const pauseMs = await run().catch((error: unknown) => {
        logger.warn({ err: error }, `${name} failed; will retry`);
        return retryMs;
      });
      await this.pause(pauseMs);
    }
  }
}
