import { GatewayError } from '@mgw/contracts';

const RETRY_AFTER_SECONDS = 2;

interface Waiting {
  holder: string;
  go(): void;
}

/** One turn at a time; holders that wait take turns, so that one with much work does not hold up the others. */
export class FairQueue {
  private taken = false;
  private last = '';
  private readonly waiting: Waiting[] = [];

  /** @returns a function that ends the turn @throws GatewayError OVERLOADED when the turn does not come in time */
  take(holder: string, withinMs: number): Promise<() => void> {
    if (!this.taken) return Promise.resolve(this.begin(holder));
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        holder,
        go: () => {
          clearTimeout(timer);
          resolve(this.begin(holder));
        },
      };
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(entry), 1);
        const message = 'Other large requests are being processed. Try again shortly.';
        reject(new GatewayError('OVERLOADED', message, { retry_after_seconds: RETRY_AFTER_SECONDS }, 503));
      }, withinMs);
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

  /** The first that waits and is not the holder of the turn that ended; if all are that holder's, the first. */
  private next(): void {
    const other = this.waiting.findIndex(({ holder }) => holder !== this.last);
    const [entry] = this.waiting.splice(Math.max(other, 0), 1);
    entry?.go();
  }
}
