import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { Signal, type OutboxRelay } from '@mgw/events';
import { RepeatedWarning, type Logger } from '@mgw/telemetry';

interface BackgroundLoopOptions {
  /** The work, for the log line "<name> failed; will retry". */
  name: string;
  logger: Logger;
  /** Pause after an error, in milliseconds. */
  retryMs: number;
  /** Publishes what the work commits, and stops after it. */
  relay?: OutboxRelay;
}

/** Repeats work while the service runs. A stop waits for the round in progress. */
export abstract class BackgroundLoop implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly signal = new Signal();
  private stopped = false;
  private ended: Promise<void> = Promise.resolve();

  constructor(private readonly loop: BackgroundLoopOptions) {}

  /** @returns milliseconds until the next round */
  protected abstract round(): Promise<number>;

  protected get isStopping(): boolean {
    return this.stopped;
  }

  onApplicationBootstrap(): void {
    this.loop.relay?.start();
    this.ended = this.repeat();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    this.signal.end();
    await this.ended;
    await this.loop.relay?.stop();
  }

  /** Begins the next round at once. */
  wake(): void {
    this.signal.notify();
  }

  /** Waits within a round; a stop ends the wait. */
  protected async pause(ms: number): Promise<void> {
    if (!this.stopped && ms > 0) await this.signal.wait(ms);
  }

  private async repeat(): Promise<void> {
    const { name, logger, retryMs } = this.loop;
    const failed = new RepeatedWarning(logger, `${name} failed; will retry`);
    while (!this.stopped) {
      try {
        await this.pause(await this.round());
      } catch (error) {
        failed.warn(error);
        await this.signal.rest(retryMs);
      }
    }
  }
}
