import type { Readable } from 'node:stream';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Shares, type Release } from '@mgw/shares';

/** Files in transfer at once. Each holds at most 256 kB, outside the heap. */
const TRANSFERS = { places: 64, largest: 1 / 4, waiting: { room: 256, largest: 1 / 4 } };
/** How long a transfer waits for its business's share, in milliseconds. */
const SHARE_WITHIN_MS = 5_000;
/** Longest transfer, in milliseconds. A reader may be slow, and its transfer holds a place. */
const TRANSFER_WITHIN_MS = 15 * 60_000;
/** How long transfers go on after SIGTERM. It is less than a service may take to stop. */
const FINISH_WITHIN_MS = 15_000;
const RETRY_AFTER_SECONDS = 5;

/** Bounds files in transfer: their number for each business and in all, and their time (guarantees §10, N2). */
@Injectable()
export class Transfers implements BeforeApplicationShutdown {
  private readonly shares = new Shares(TRANSFERS);
  private readonly running = new Set<Readable>();

  /** @throws GatewayError RATE_LIMITED */
  async takePlace(businessId: number): Promise<Release> {
    const release = await this.shares.take(String(businessId), SHARE_WITHIN_MS);
    if (release !== null) return release;
    throw new GatewayError('RATE_LIMITED', 'Too many files of this business are in transfer at once. Try again when one has ended.', {
      retry_after_seconds: RETRY_AFTER_SECONDS,
    });
  }

  /** Ends the stream in time, and releases its place when it has ended in any way. */
  follow(stream: Readable, release: Release): void {
    this.running.add(stream);
    const timer = setTimeout(() => stream.destroy(new Error('the transfer took too long')), TRANSFER_WITHIN_MS).unref();
    // The response sees the error; it may come before the response has begun.
    stream
      .on('error', () => undefined)
      .once('close', () => {
        clearTimeout(timer);
        this.running.delete(stream);
        release();
      });
  }

  beforeApplicationShutdown(): void {
    setTimeout(() => {
      for (const stream of this.running) stream.destroy(new Error('the gateway stops'));
    }, FINISH_WITHIN_MS).unref();
  }
}
