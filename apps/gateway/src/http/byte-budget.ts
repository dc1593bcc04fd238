import { GatewayError } from '@mgw/contracts';

/** Retry-After when the budget is used up. */
const RETRY_AFTER_SECONDS = 1;

/** Bounds the bytes that this process holds for one purpose, in total and per holder. */
export class ByteBudget {
  private held = 0;
  private readonly holders = new Map<string, number>();

  constructor(
    readonly total: number,
    readonly share: number,
  ) {}

  /** @returns a function that releases the bytes @throws GatewayError RATE_LIMITED over the holder's share, OVERLOADED over the total */
  take(holder: string, bytes: number): () => void {
    const own = this.holders.get(holder) ?? 0;
    if (own + bytes > this.share)
      throw new GatewayError('RATE_LIMITED', 'Too much data is in flight from this caller. Wait for the running requests to end.', {
        retry_after_seconds: RETRY_AFTER_SECONDS,
      });
    if (this.held + bytes > this.total)
      throw new GatewayError(
        'OVERLOADED',
        'Too much data is in flight. Try again shortly.',
        { retry_after_seconds: RETRY_AFTER_SECONDS },
        503,
      );
    this.held += bytes;
    this.holders.set(holder, own + bytes);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      this.held -= bytes;
      const left = (this.holders.get(holder) ?? 0) - bytes;
      if (left > 0) this.holders.set(holder, left);
      else this.holders.delete(holder);
    };
  }
}
