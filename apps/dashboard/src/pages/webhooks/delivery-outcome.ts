import { type Delivery } from './webhook';

/** The end of a delivery in one line: `500 · 12 ms · 2 attempts · responded 500 instead of 200`. */
export function deliveryOutcome({ response_code, duration_ms, attempts, reason }: Delivery): string {
  return [response_code, duration_ms !== null && `${duration_ms} ms`, attempts > 1 && `${attempts} attempts`, reason]
    .filter(Boolean)
    .join(' · ');
}
