import { Readable } from 'node:stream';
import { GatewayError } from '@mgw/contracts';
import { Shares, type SharesOptions } from '@mgw/shares';

/** A reader that takes nothing for so long has stopped reading, in milliseconds. */
const STALLED_AFTER_MS = 5 * 60_000;

/**
 * Streams texts of any length at the pace of their readers. A reader may stop reading, and then its stream holds a page: the bound is for
 * all of them.
 */
export class PacedStreams {
  private readonly running: Shares;

  /** @param name names the streams in a refusal, in the plural */
  constructor(
    private readonly name: string,
    bound: SharesOptions,
  ) {
    this.running = new Shares(bound);
  }

  /**
   * It lasts as long as its reader goes on reading.
   * @param holder has a share of the running streams
   * @param texts reads a page only when the reader has taken the one before
   * @throws GatewayError RATE_LIMITED
   */
  open(holder: string, texts: AsyncIterable<string>): Readable {
    const release = this.running.tryTake(holder);
    if (release === null)
      throw new GatewayError('RATE_LIMITED', `Too many ${this.name} are in progress. Try again when one has ended.`, {
        retry_after_seconds: 10,
      });
    const stalled = setTimeout(() => lines.destroy(new Error('the reader stopped reading')), STALLED_AFTER_MS).unref();
    const lines = Readable.from(
      onEach(texts, () => stalled.refresh()),
      { objectMode: false, highWaterMark: 64 * 1024 },
    );
    // The response sees the error. Without a response the error would end the process.
    lines
      .on('error', () => undefined)
      .once('close', () => {
        clearTimeout(stalled);
        release();
      });
    return lines;
  }
}

/** Calls back whenever the reader takes an item. */
async function* onEach<T>(items: AsyncIterable<T>, taken: () => void): AsyncGenerator<T, void> {
  for await (const item of items) {
    taken();
    yield item;
  }
}
