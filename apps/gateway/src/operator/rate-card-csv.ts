import { GatewayError, MAX_RATES, type Rate, type RateFault, type RequestOf, type SetRateCard, nearest } from '@mgw/contracts';
import { isMarket, marketName } from '@mgw/phone';
import { parseCsv, type CsvLine } from '../requests/parse-csv';
import { invalid } from '../requests/refusals';
import { csvLine, withoutGuard } from '../responses/csv-line';

type Card = Pick<RequestOf<typeof SetRateCard>, 'currency' | 'rates'>;

const COLUMNS = ['prefix', 'market', 'category', 'currency', 'price', 'valid_from'];
/** Columns of a card with a column of prices for each category. */
const COMMON = ['prefix', 'market', 'currency', 'valid_from'];
const CATEGORIES = ['marketing', 'marketing_lite', 'utility', 'authentication', 'authentication_international', 'service'];
const OTHERS = 'All other markets';
const MAX_FAULTS = 100;
const MAX_MARKET = 60;
/** Meta writes this for a category without a price. */
const NO_PRICE = ['', 'n/a', '-'];

export function rateCardCsv(currency: string | null, rates: Rate[]): string {
  const lines = rates.map(({ prefix, market, category, price, valid_from }) =>
    csvLine([prefix, market, category, currency ?? '', price, valid_from]),
  );
  return [csvLine(COLUMNS), ...lines].join('');
}

/**
 * A card with a row per price, as it is downloaded, or with a row per market and a column per category, as Meta publishes it. A cell
 * may hold several prefixes. @throws GatewayError VALIDATION_FAILED with every fault
 */
export async function readRateCard(csv: string): Promise<Card> {
  const [heading, ...lines] = await parseCsv(csv);
  const names = heading?.record.map(wordOf) ?? [];
  const missing = ['prefix', 'currency', 'valid_from'].find((name) => !names.includes(name));
  if (missing !== undefined) throw invalid('csv', `must begin with a heading that has a column "${missing}"`);
  const isLong = names.includes('category') || names.includes('price');
  if (isLong && !(names.includes('category') && names.includes('price')))
    throw invalid('csv', 'must have both columns "category" and "price", or a column for each category');
  if (lines.length === 0) throw invalid('csv', 'must hold at least one row below the heading');
  const card = new CardReader(names, isLong);
  for (const line of lines) card.add(line);
  return card.finish();
}

/** @throws GatewayError VALIDATION_FAILED if there are faults */
export function refuseFaults(faults: RateFault[]): void {
  const details = faults.slice(0, MAX_FAULTS).map(({ row, field, message }) => ({ field: `row ${row}: ${field}`, message }));
  const [first] = details;
  if (first) throw new GatewayError('VALIDATION_FAILED', `${first.field} ${first.message}. Nothing was saved.`, { details });
}

class CardReader {
  private readonly rates = new Map<string, Card['rates'][number]>();
  private readonly faults: RateFault[] = [];
  private currency: string | null = null;

  constructor(
    private readonly names: string[],
    private readonly isLong: boolean,
  ) {}

  add({ record, info: { lines: row } }: CsvLine): void {
    const cell = (name: string) => withoutGuard(record[this.names.indexOf(name)] ?? '').trim();
    const fault = (field: string, message: string) => void this.faults.push({ row, field, message });
    const prefixes = cell('prefix')
      .split(/\s+/)
      .map((prefix) => prefix.replace(/^\+/, ''));
    const unknown = prefixes.find((prefix) => prefix !== '*' && !isMarket(prefix));
    if (unknown !== undefined)
      fault('prefix', `"${unknown.slice(0, 20)}" is not a calling code, such as 91, 1 or 1876: write * for all other markets`);
    const currency = cell('currency').toUpperCase();
    this.currency ??= currency;
    if (!/^[A-Z]{3}$/.test(currency)) fault('currency', 'must be a code of three letters, such as INR');
    else if (currency !== this.currency) fault('currency', `must be ${this.currency}, as in the rows before: a rate card has one currency`);
    const valid_from = cell('valid_from');
    if (!isDay(valid_from)) fault('valid_from', 'must be a day, such as 2026-10-01');
    const market = cell('market');
    if (market.length > MAX_MARKET) fault('market', `must have at most ${MAX_MARKET} characters`);
    for (const [field, category, price] of this.prices(record, cell)) {
      const similar = CATEGORIES.includes(category) ? null : nearest(category, CATEGORIES);
      if (!/^[a-z_]{1,40}$/.test(category)) fault(field, 'must be a category of WhatsApp, such as marketing or utility');
      else if (similar !== null) fault(field, `"${category}" is not a category: did you mean ${similar}?`);
      if (!/^\d{1,6}(\.\d{1,6})?$/.test(price))
        fault(this.isLong ? 'price' : field, 'must be a price with a decimal point, such as 0.0118');
      for (const prefix of prefixes) {
        const key = `${prefix} ${category} ${valid_from}`;
        const twin = this.rates.get(key);
        if (twin) fault('prefix', `row ${twin.row} has the rate of ${prefix}, ${category}, from ${valid_from} already`);
        this.rates.set(key, {
          row,
          prefix,
          category,
          price,
          valid_from,
          market: market || (marketName(prefix) || OTHERS).slice(0, MAX_MARKET),
        });
      }
    }
    if (this.rates.size > MAX_RATES) throw invalid('csv', `must hold at most ${MAX_RATES} rates`);
  }

  /** @throws GatewayError VALIDATION_FAILED with every fault */
  finish(): Card {
    refuseFaults(this.faults);
    if (this.rates.size === 0) throw invalid('csv', 'must hold at least one price');
    return { currency: this.currency as string, rates: [...this.rates.values()] };
  }

  /** Column, category and price of each price in the row. */
  private prices(record: string[], cell: (name: string) => string): [string, string, string][] {
    if (this.isLong) return [['category', wordOf(cell('category')), cell('price')]];
    return this.names.flatMap((name, i): [string, string, string][] => {
      const price = (record[i] ?? '').trim();
      return COMMON.includes(name) || NO_PRICE.includes(price.toLowerCase()) ? [] : [[name, name, price]];
    });
  }
}

const wordOf = (name: string): string =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_');

function isDay(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
