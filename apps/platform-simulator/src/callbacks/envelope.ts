import type { Account } from '../accounts/accounts';

/** The envelope of every callback (platform §4.3). */
export function envelope(account: Account, field: string, value: Record<string, unknown>): Record<string, unknown> {
  const metadata = { display_phone_number: account.display_phone_number, phone_number_id: account.phone_number_id };
  const isNumberField = field === 'messages' || field === 'user_preferences';
  const full = isNumberField ? { messaging_product: 'whatsapp', metadata, ...value } : value;
  // Changes of an account carry no id, so the time distinguishes equal ones.
  const time = isNumberField ? {} : { time: Number(seconds(Date.now())) };
  return { object: 'whatsapp_business_account', entry: [{ id: account.business_account_id, ...time, changes: [{ value: full, field }] }] };
}

export function seconds(atMs: number): string {
  return String(Math.floor(atMs / 1_000));
}
