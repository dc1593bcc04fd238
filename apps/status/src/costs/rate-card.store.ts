import { Injectable } from '@nestjs/common';
import type { GetRateCard, RateFault, ResponseOf, RequestOf, SetRateCard } from '@mgw/contracts';
import { Database, RowSet, type Tx } from '@mgw/postgres';

type Card = RequestOf<typeof SetRateCard>;
type NewRate = Card['rates'][number];

/** The currency of the rate card; null without rates. All rates have the same one. */
export const CURRENCY = '(SELECT currency FROM status.rates LIMIT 1)';
/** Costs of earlier days are fixed. */
const TODAY = `(now() AT TIME ZONE 'UTC')::date`;
const OR_REPLACE = 'Or replace all rates, which changes costs of past days.';
const FIXED = `is before today, and a rate applied already: costs of past days stay. Write today or later. ${OR_REPLACE}`;
const MAX_FAULTS = 100;

const RATES = new RowSet<NewRate>({
  row: ['integer', ({ row }) => row],
  prefix: ['text', ({ prefix }) => prefix],
  category: ['text', ({ category }) => category],
  valid_from: ['date', ({ valid_from }) => valid_from],
  price: ['numeric', ({ price }) => price],
  market: ['text', ({ market }) => market],
});

/** The operator's rate card, with the rates of the past. */
@Injectable()
export class RateCardStore {
  constructor(private readonly db: Database) {}

  async get(): Promise<ResponseOf<typeof GetRateCard>> {
    const rows = await this.db.query<ResponseOf<typeof GetRateCard>['rates'][number] & { currency: string }>(
      `SELECT prefix, market, category, trim_scale(price)::text AS price, valid_from::text AS valid_from, currency FROM status.rates
       ORDER BY valid_from DESC, prefix, category`,
    );
    return { currency: rows[0]?.currency ?? null, rates: rows.map(({ currency: _, ...rate }) => rate) };
  }

  /** Stores nothing if there are faults. */
  set(card: Card): Promise<ResponseOf<typeof SetRateCard>> {
    return this.db.transaction(async (tx) => {
      // Two cards at once would both pass the checks. Costs are read meanwhile.
      await tx.query('LOCK TABLE status.rates IN SHARE ROW EXCLUSIVE MODE');
      const faults = card.replace_all ? [] : await this.faults(tx, card);
      if (faults.length > 0) return { faults, added: 0, removed: 0 };
      const removed = await tx.query(`DELETE FROM status.rates WHERE $1 OR valid_from >= ${TODAY} RETURNING 1`, [card.replace_all]);
      const added = await tx.query(
        `INSERT INTO status.rates (prefix, category, valid_from, price, market, currency)
         SELECT prefix, category, valid_from, price, market, $${RATES.next} FROM ${RATES.from('n')} ON CONFLICT DO NOTHING RETURNING 1`,
        [...RATES.values(card.rates), card.currency],
      );
      return { faults, added: added.length, removed: removed.length };
    });
  }

  private async faults(tx: Tx, { currency, rates }: Card): Promise<RateFault[]> {
    const [kept] = await tx.query<{ currency: string }>(`SELECT currency FROM status.rates WHERE valid_from < ${TODAY} LIMIT 1`);
    if (kept && kept.currency !== currency)
      return [{ row: rates[0]?.row ?? 1, field: 'currency', message: `must be ${kept.currency}, as in earlier rates. ${OR_REPLACE}` }];
    const rows = await tx.query<{ row: number }>(
      `SELECT DISTINCT n.row FROM ${RATES.from('n')} JOIN status.rates e ON e.category = n.category AND e.prefix IN (n.prefix, '*')
       WHERE n.valid_from < ${TODAY} AND e.valid_from < ${TODAY}
         AND NOT EXISTS (SELECT FROM status.rates s WHERE (s.prefix, s.category, s.valid_from, s.price) = (n.prefix, n.category, n.valid_from, n.price))
       ORDER BY n.row LIMIT ${MAX_FAULTS}`,
      RATES.values(rates),
    );
    return rows.map(({ row }) => ({ row, field: 'valid_from', message: FIXED }));
  }
}
