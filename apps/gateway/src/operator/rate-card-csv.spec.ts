import { GatewayError } from '@mgw/contracts';
import { rateCardCsv, readRateCard } from './rate-card-csv';

const faultsOf = async (csv: string) => {
  const error = await readRateCard(csv).catch((thrown: GatewayError) => thrown);
  return error instanceof GatewayError
    ? (error.extras['details'] as { field: string; message: string }[]).map(({ field, message }) => `${field} ${message}`)
    : [];
};

describe('decision 522: the rate card as CSV', () => {
  it('takes a row per market with a column per category, as Meta publishes it', async () => {
    const csv =
      '\ufeffMarket,Prefix,Currency,Valid from,Marketing,Utility,Authentication-International,Service\n' +
      'India,91,inr,2026-10-01,0.8631,0.115,2.3,n/a\n"Rest, of Africa",+213 244,INR,2026-10-01,2,,,\n,*,INR,2026-10-01,,,,0.65\n';
    const { currency, rates } = await readRateCard(csv);
    expect(currency).toBe('INR');
    expect(rates.map(({ row, prefix, market, category, price }) => [row, prefix, market, category, price])).toEqual([
      [2, '91', 'India', 'marketing', '0.8631'],
      [2, '91', 'India', 'utility', '0.115'],
      [2, '91', 'India', 'authentication_international', '2.3'],
      [3, '213', 'Rest, of Africa', 'marketing', '2'],
      [3, '244', 'Rest, of Africa', 'marketing', '2'],
      [4, '*', 'All other markets', 'service', '0.65'],
    ]);
  });

  it('reads what it wrote', async () => {
    const card = await readRateCard(
      'prefix;category;currency;price;valid_from\n1;utility;USD;0.0034;2026-10-01\n*;service;USD;0;2026-10-01',
    );
    expect(await readRateCard(rateCardCsv(card.currency, card.rates))).toEqual(card);
    expect(card.rates[0]?.market).toBe('United States, Canada');
  });

  it.each([
    ['category,price\nutility,1', ['csv must begin with a heading that has a column "prefix"']],
    ['prefix,currency,valid_from,price\n91,INR,2026-10-01,1', ['csv must have both columns']],
    ['prefix,currency,valid_from,utility', ['csv must hold at least one row']],
    ['prefix,currency,valid_from,utility\n91,INR,2026-10-01,', ['csv must hold at least one price']],
    [
      'prefix,currency,valid_from,utility\n1204,RS,2026-02-30,0,5',
      ['row 2: prefix "1204"', 'row 2: currency must be a code', 'row 2: valid_from must be a day'],
    ],
    [
      'prefix,currency,valid_from,utility\n91,INR,2026-10-01,-1\n1,USD,2026-10-01,1e3',
      ['row 2: utility must be a price', 'row 3: currency must be INR', 'row 3: utility must be a price'],
    ],
    [
      'prefix,currency,valid_from,category,price\n91,INR,2026-10-01,utilty,1',
      ['row 2: category "utilty" is not a category: did you mean utility?'],
    ],
    ['prefix,currency,valid_from,utility\n91,INR,2026-10-01,1\n91,INR,2026-10-01,2', ['row 3: prefix row 2 has the rate']],
  ])('names each wrong row: %j', async (csv, expected) => {
    const faults = await faultsOf(csv);
    expect(faults).toEqual(expected.map((text) => expect.stringContaining(text) as string));
  });
});
