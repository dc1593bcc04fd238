import { Readable } from 'node:stream';
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { parse } from 'csv-parse';
import { invalid } from './refusals';

/** Bytes of a CSV file that are parsed without a pause. */
const SLICE = 32 * 1024;
/** Maximum number of cells of a CSV file. An empty cell takes one byte in the file and many times that in memory. */
const MAX_CELLS = 400_000;

export interface CsvLine {
  record: string[];
  info: { lines: number };
}

/** Parses in slices, so that other requests proceed in between. @throws GatewayError VALIDATION_FAILED with the line */
export async function parseCsv(text: string): Promise<CsvLine[]> {
  const delimiter = delimiterOf(text);
  if (countOf(text, delimiter) + countOf(text, '\n') > MAX_CELLS) throw invalid('csv', `must hold at most ${MAX_CELLS} cells`);
  const options = { bom: true, info: true, trim: true, skip_empty_lines: true, relax_column_count: true, delimiter };
  const lines: CsvLine[] = [];
  try {
    // The types of csv-parse lack `info`.
    for await (const line of Readable.from(slicesOf(text)).pipe(parse(options))) lines.push(line as unknown as CsvLine);
  } catch (error) {
    throw invalid('csv', `is not a CSV file: ${(error as Error).message}`);
  }
  return lines;
}

/** Slices bytes, because a slice of text could end inside a surrogate pair. */
async function* slicesOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += SLICE) {
    yield bytes.subarray(at, at + SLICE);
    await yieldToOthers();
  }
}

function countOf(text: string, char: string): number {
  let count = 0;
  for (let at = text.indexOf(char); at >= 0; at = text.indexOf(char, at + 1)) count++;
  return count;
}

/** Spreadsheets write semicolons in many countries. */
function delimiterOf(text: string): string {
  const heading = text.slice(0, 10_000).split('\n')[0] ?? '';
  return !heading.includes(',') && heading.includes(';') ? ';' : ',';
}
