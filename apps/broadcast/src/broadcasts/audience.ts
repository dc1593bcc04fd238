import { marketOf } from '@mgw/phone';

/** People by market, the largest market first. */
export function marketsOf(phones: string[]): { market: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const phone of phones) {
    const market = marketOf(phone) ?? '*';
    counts.set(market, (counts.get(market) ?? 0) + 1);
  }
  return [...counts].map(([market, count]) => ({ market, count })).sort((a, b) => b.count - a.count);
}
