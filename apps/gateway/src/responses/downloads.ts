import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';
import { csvLine } from './csv-line';

/** A reader may stop reading, and then its download holds a page: the bound is for all of them. */
const DOWNLOADS = { places: 8, largest: 2 / 8 };
/** Longest download, in milliseconds. */
const DOWNLOAD_WITHIN_MS = 10 * 60_000;

interface Page {
  next_cursor: string | null;
}
/** Reads the page at a cursor; null is the first page. */
type Load<P extends Page> = (cursor: string | null) => Promise<P>;

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

  /** A list as CSV, with its pages. @throws GatewayError RATE_LIMITED */
  csv(holder: string, filename: string, columns: string[], load: Load<Page & { rows: (string | number)[][] }>): never {
    return this.stream(holder, csvOf(columns, load), { type: 'text/csv; charset=utf-8', filename });
  }
}

/** The pages of a list, one after another. */
export async function* pagesOf<P extends Page>(load: Load<P>): AsyncGenerator<P, void> {
  let cursor: string | null = null;
  do {
    const page: P = await load(cursor);
    yield page;
    cursor = page.next_cursor;
  } while (cursor !== null);
}

async function* csvOf(columns: string[], load: Load<Page & { rows: (string | number)[][] }>): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const { rows } of pagesOf(load)) yield rows.map(csvLine).join('');
}
