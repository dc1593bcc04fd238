/** Readers of contact cards and orders, which the API passes on as WhatsApp sends them: any member may be absent or of another type. */

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

/** Names, with phone numbers and addresses of mail. */
export function cardsOf(contacts: unknown[]): { name: string; lines: string[] }[] {
  return contacts.map((card) => {
    const { name, phones, emails } = membersOf(card);
    const lines = [
      ...listOf(phones).map((phone) => textOf(membersOf(phone)['phone'])),
      ...listOf(emails).map((email) => textOf(membersOf(email)['email'])),
    ];
    return { name: textOf(membersOf(name)['formatted_name']) || '[contact]', lines: [...new Set(lines)].filter(Boolean) };
  });
}

/** An amount in its currency, with the digits that the currency has; as sent if either is invalid. */
function priceOf(amount: string, currency: string): string {
  if (!/^\d+(\.\d+)?$/.test(amount) || !/^[A-Z]{3}$/.test(currency)) return `${amount} ${currency}`.trim();
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(Number(amount));
}

/** The customer's note, and the products. */
export function itemsOf(order: unknown): { note: string; items: { count: string; product: string; price: string }[] } {
  const { text, product_items } = membersOf(order);
  const items = listOf(product_items).map((item) => {
    const { product_retailer_id, quantity, item_price, currency } = membersOf(item);
    return {
      count: textOf(quantity) || '1',
      product: textOf(product_retailer_id) || '?',
      price: priceOf(textOf(item_price), textOf(currency)),
    };
  });
  return { note: textOf(text), items };
}
