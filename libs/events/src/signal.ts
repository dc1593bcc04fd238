/** Wakes a loop that waits. A signal given while nobody waits is kept: the next wait returns at once. */
export class Signal {
  private given = false;
  private wake: (() => void) | undefined;

  give(): void {
    this.given = true;
    this.wake?.();
  }

  /** Until the signal or the time, in milliseconds. */
  async wait(atMostMs: number): Promise<void> {
    if (!this.given) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, atMostMs);
        this.wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    this.wake = undefined;
    this.given = false;
  }
}
