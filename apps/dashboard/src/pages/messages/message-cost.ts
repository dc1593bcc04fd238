import type { Schemas } from '../../api/client';
import { money, priceWord } from '../../components/money';

/** The cost of a message, or why it has none. */
export function messageCost({ message, cost }: Pick<Schemas['MessageDetail'], 'message' | 'cost'>): string {
  const { billing, delivery_status } = message;
  if (!billing) return 'WhatsApp has not reported a price';
  const category = priceWord(billing.category);
  if (!billing.billable) return `Free as ${category} (${priceWord(billing.type)})`;
  if (delivery_status === 'failed') return 'Not charged, because it failed';
  if (delivery_status === 'sent') return `Charged as ${category} when it is delivered`;
  return cost ? `${money(cost.amount, cost.currency)} as ${category}` : `Charged as ${category}; the rate card has no rate`;
}
