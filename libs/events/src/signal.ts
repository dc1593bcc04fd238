/** Wakes a waiting loop. A notification without a waiting loop is kept, so the next wait returns at once. */
export class Signal {
  private notified = false;
  private ended = false;
  private isResting = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.notified = true;
    if (!this.isResting) this.wake?.();
  }

  /** Ends the pause in progress and every later one. */
  end(): void {
    this.ended = true;
    this.wake?.();
  }

  /** Waits for a notification. @param atMostMs longest wait, in milliseconds */
  async wait(atMostMs: number): Promise<void> {
    if (!this.notified) await this.pause(atMostMs);
    this.notified = false;
  }

  /** Waits the whole time and keeps a notification: after a failure, each one would repeat the work at once. @param ms milliseconds */
  async rest(ms: number): Promise<void> {
    this.isResting = true;
    await this.pause(ms);
    this.isResting = false;
  }

  private async pause(ms: number): Promise<void> {
    if (this.ended) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.wake = undefined;
  }
}
