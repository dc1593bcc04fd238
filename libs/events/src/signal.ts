/** Wakes a waiting loop. A notification without a waiting loop is kept, so the next wait returns at once. */
export class Signal {
  private notified = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.notified = true;
    this.wake?.();
  }

  /** Waits for a notification. @param atMostMs longest wait, in milliseconds */
  async wait(atMostMs: number): Promise<void> {
    if (!this.notified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, atMostMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.notified = false;
  }
}
