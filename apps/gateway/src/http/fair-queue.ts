import { GatewayError } from '@mgw/contracts';

const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  holder: string;
  go(): void;
}

/** Grants one turn at a time. Waiting holders alternate, so that a busy one does not delay the others. */
export class FairQueue {
  private taken = false;
  private last = '';
  private readonly waiting: Waiting[] = [];

  /**
   * @param signal ends the wait
   * @returns a function that ends the turn
   * @throws GatewayError OVERLOADED after `withinMs`, and the signal's reason
   */
  async take(holder: string, withinMs: number, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (!this.taken) return this.begin(holder);
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        holder,
        go: () => {
          clearTimeout(timer);
          resolve(this.begin(holder));
        },
      };
      const leave = (error: Error) => {
        const index = this.waiting.indexOf(entry);
        if (index === -1) return;
        clearTimeout(timer);
        this.waiting.splice(index, 1);
        reject(error);
      };
      const timer = setTimeout(() => {
        const message = 'Other large requests are being processed. Try again shortly.';
        leave(new GatewayError('OVERLOADED', message, { retry_after_seconds: RETRY_AFTER_SECONDS }, 503));
      }, withinMs);
      signal.addEventListener('abort', () => leave(signal.reason as Error));
      this.waiting.push(entry);
    });
  }

  private begin(holder: string): () => void {
    this.taken = true;
    this.last = holder;
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      this.taken = false;
      this.next();
    };
  }

  /** Takes the first waiting entry of another holder than the last one, or else the first entry. */
  private next(): void {
    const other = this.waiting.findIndex(({ holder }) => holder !== this.last);
    const [entry] = this.waiting.splice(Math.max(other, 0), 1);
    entry?.go();
  }
}
