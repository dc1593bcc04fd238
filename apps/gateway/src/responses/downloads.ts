import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { GatewayError } from '@mgw/contracts';
import { Shares } from '@mgw/shares';
import { csvLine } from './csv-line';

/** A reader may stop reading, and then its download holds a page: the bound is for all of them. */
const DOWNLOADS = { places: 8, largest: 2 / 8 };
/** A reader that takes nothing for so long has stopped reading, in milliseconds. */
const STALLED_AFTER_MS = 5 * 60_000;

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
   * It lasts as long as its reader goes on reading. Typed as the JSON that the endpoint otherwise returns, because its description has one schema.
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
    const stalled = setTimeout(() => lines.destroy(new Error('the reader of a download stopped reading')), STALLED_AFTER_MS).unref();
    const lines = Readable.from(
      onEach(pages, () => stalled.refresh()),
      { objectMode: false, highWaterMark: 64 * 1024 },
    );
    lines.once('close', () => {
      clearTimeout(stalled);
      release();
    });
    return new StreamableFile(lines, { type, disposition: `attachment; filename="${filename}"` }) as never;
  }

  /** A list as CSV, with its pages. @throws GatewayError RATE_LIMITED */
  csv(holder: string, filename: string, columns: string[], load: Load<Page & { rows: (string | number)[][] }>): never {
    return this.stream(holder, csvOf(columns, load), { type: 'text/csv; charset=utf-8', filename });
  }
}

/** Calls back whenever the reader takes an item. */
async function* onEach<T>(items: AsyncIterable<T>, taken: () => void): AsyncGenerator<T, void> {
  for await (const item of items) {
    taken();
    yield item;
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
