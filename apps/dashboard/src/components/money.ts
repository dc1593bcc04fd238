const MICROS = 1_000_000n;
const DIGITS = 6;

/** Shows an amount in its currency, exact for prices below 1. @param amount a decimal number as text */
export function money(amount: string, currency: string | null): string {
  const maximumFractionDigits = micros(amount) < MICROS ? DIGITS : 2;
  const unit = currency === null ? {} : { style: 'currency' as const, currency };
  // Intl reads decimal text without rounding it to a floating-point number first; the types do not know it yet.
  return new Intl.NumberFormat('en', { ...unit, minimumFractionDigits: 2, maximumFractionDigits }).format(amount as unknown as number);
}

export function sumMoney(amounts: string[]): string {
  const sum = amounts.reduce((total, amount) => total + micros(amount), 0n);
  return `${sum / MICROS}.${String(sum % MICROS).padStart(DIGITS, '0')}`;
}

function micros(amount: string): bigint {
  const [whole = '0', fraction = ''] = amount.split('.');
  return BigInt(whole) * MICROS + BigInt(fraction.padEnd(DIGITS, '0'));
}

/** A word of WhatsApp, such as `free_entry_point`, for people. */
export const priceWord = (word: string): string => word.replaceAll(/[_-]/g, ' ');
