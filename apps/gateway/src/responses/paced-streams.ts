import { Readable } from 'node:stream';
import { GatewayError } from '@mgw/contracts';
import { Shares, type Release, type SharesOptions } from '@mgw/shares';

/** A reader that takes nothing for so long has stopped reading, in milliseconds. */
const STALLED_AFTER_MS = 5 * 60_000;
/** A reader that let the last 64 kB wait for longer gives way to one that finds no place, in milliseconds. */
const SLOW_AFTER_MS = 20_000;
const STEP_BYTES = 64 * 1024;

interface Running {
  holder: string;
  reader: Reader;
  lines: Readable;
  release: Release;
}

/** Measures how long texts wait for their reader; the time that it takes to produce them does not count. */
class Reader {
  private waitedMs = 0;
  private waitsSince: number | null = null;
  private bytes = 0;

  /** For the last step, in milliseconds. */
  get slowness(): number {
    return this.waitedMs + (this.waitsSince === null ? 0 : performance.now() - this.waitsSince);
  }

  /** @param produced is called before each text is passed on */
  async *pass(texts: AsyncIterable<string>, produced: () => void): AsyncGenerator<string, void> {
    for await (const text of texts) {
      produced();
      this.waitsSince = performance.now();
      yield text;
      this.waitedMs = this.slowness;
      this.waitsSince = null;
      this.bytes += text.length;
      if (this.bytes < STEP_BYTES) continue;
      [this.bytes, this.waitedMs] = [0, 0];
    }
    // The last texts are in the stream's buffer until it closes.
    this.waitsSince = performance.now();
  }
}

/**
 * Streams texts of any length at the pace of their readers. A reader may stop reading, and then its stream holds a page: the bound is for
 * all of them.
 */
export class PacedStreams {
  private readonly places: Shares;
  private readonly running = new Set<Running>();

  /** @param name names the streams in a refusal, in the plural */
  constructor(
    private readonly name: string,
    bound: SharesOptions,
  ) {
    this.places = new Shares(bound);
  }

  /**
   * It lasts as long as its reader goes on reading.
   * @param holder has a share of the running streams
   * @param texts reads a page only when the reader has taken the one before
   * @throws GatewayError RATE_LIMITED
   */
  open(holder: string, texts: AsyncIterable<string>): Readable {
    const release = this.places.tryTake(holder) ?? this.takeFromSlowest(holder);
    if (release === null)
      throw new GatewayError('RATE_LIMITED', `Too many ${this.name} are in progress. Try again when one has ended.`, {
        retry_after_seconds: 10,
      });
    const stalled = setTimeout(() => lines.destroy(new Error('the reader stopped reading')), STALLED_AFTER_MS).unref();
    const reader = new Reader();
    const passed = reader.pass(texts, () => stalled.refresh());
    const lines = Readable.from(passed, { objectMode: false, highWaterMark: 64 * 1024 });
    const running = { holder, reader, lines, release };
    this.running.add(running);
    // The response sees the error. Without a response the error would end the process.
    lines
      .on('error', () => undefined)
      .once('close', () => {
        clearTimeout(stalled);
        if (this.running.delete(running)) release();
      });
    return lines;
  }

  /** Ends the slowest stream: one of the holder's own, or of anybody for a holder that has none. */
  private takeFromSlowest(holder: string): Release | null {
    const hasNone = this.places.heldBy(holder) === 0;
    const [slowest] = [...this.running]
      .filter((one) => hasNone || one.holder === holder)
      .sort((a, b) => b.reader.slowness - a.reader.slowness);
    if (slowest === undefined || slowest.reader.slowness < SLOW_AFTER_MS) return null;
    this.running.delete(slowest);
    slowest.lines.destroy(new Error('the reader was slow, and another one had no place'));
    // The holder's share may be smaller by now than the places that it has.
    if (!hasNone) return slowest.release;
    slowest.release();
    return this.places.tryTake(holder);
  }
}
