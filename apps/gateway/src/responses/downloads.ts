import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';

/** A reader may stop reading, and then its download holds a page: the bound is for all of them. */
const DOWNLOADS = { places: 8, largest: 2 / 8 };
/** Longest download, in milliseconds. */
const DOWNLOAD_WITHIN_MS = 10 * 60_000;

/** Downloads of any length, which hold a page of the list in memory at a time. */
@Injectable()
export class Downloads {
  private readonly running = new Shares(DOWNLOADS);

  /**
   * Typed as the JSON that the endpoint otherwise returns, because its description has one schema.
   * @param holder has a share of the running downloads
   * @param pages reads a page only when the reader has taken the one before
   * @throws GatewayError RATE_LIMITED
   */
  stream(holder: string, pages: AsyncIterable<string>, { type, filename }: { type: string; filename: string }): never {
    const release = this.running.tryTake(holder);
    if (release === null)
      throw new GatewayError('RATE_LIMITED', 'Too many downloads are running at once. Try again when one has ended.', {
        retry_after_seconds: 10,
      });
    const signal = AbortSignal.timeout(DOWNLOAD_WITHIN_MS);
    const lines = Readable.from(pages, { objectMode: false, highWaterMark: 64 * 1024, signal });
    lines.once('close', release);
    return new StreamableFile(lines, { type, disposition: `attachment; filename="${filename}"` }) as never;
  }
}
