import { Injectable, StreamableFile } from '@nestjs/common';
import { csvLine } from './csv-line';
import { PacedStreams } from './paced-streams';

const DOWNLOADS = { places: 8, largest: 2 / 8 };

interface Page {
  next_cursor: string | null;
}
/** Reads the page at a cursor; null is the first page. */
type Load<P extends Page> = (cursor: string | null) => Promise<P>;

/** Downloads of any length, which hold a page of the list in memory at a time. */
@Injectable()
export class Downloads {
  private readonly streams = new PacedStreams('downloads', DOWNLOADS);

  /** Typed as the JSON that the endpoint otherwise returns, because its description has one schema. @throws GatewayError RATE_LIMITED */
  stream(holder: string, pages: AsyncIterable<string>, { type, filename }: { type: string; filename: string }): never {
    return new StreamableFile(this.streams.open(holder, pages), { type, disposition: `attachment; filename="${filename}"` }) as never;
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
