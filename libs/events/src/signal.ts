/** Wakes a loop that waits. A signal given while nobody waits is kept: the next wait returns at once. */
export class Signal {
  private notified = false;
  private wake: (() => void) | undefined;

  notify(): void {
    this.notified = true;
    this.wake?.();
  }

  /** Until the signal or the time, in milliseconds. */
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
