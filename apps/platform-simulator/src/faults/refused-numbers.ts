import { Type, type Static } from '@sinclair/typebox';
import type { Fault } from './rules';

/** HTTP statuses of the platform's errors other than 400 (platform §2, second column). */
const STATUS: Record<number, number> = {
  0: 401,
  1: 500,
  2: 503,
  3: 500,
  10: 403,
  190: 401,
  368: 403,
  130497: 403,
  131000: 500,
  131005: 403,
  131016: 503,
  131031: 403,
  131045: 500,
  131057: 500,
  132001: 404,
  133000: 500,
  133004: 503,
};

const error = (code: number, message: string, more: Partial<Fault['error']> = {}): Fault => ({
  error: { code, message, status: STATUS[code] ?? 400, ...more },
});

const OUTAGE_OF_10_S: Fault = { ...error(131016, 'Service unavailable'), refuse_connections_ms: 10_000 };
const OVERLOADED = error(131016, 'Service overloaded');

/** The faults of successive calls to `+1 201 555 01NN`, repeated in turn; null accepts the message (platform §8.3). */
const BY_NUMBER: Record<string, (Fault | null)[]> = {
  '30': [error(131030, 'Recipient phone number not in allowed list', { subcode: 2655007 })],
  '31': [error(132001, 'Template name does not exist in the translation')],
  '32': [error(131047, 'Re-engagement message')],
  '40': [error(130429, 'Rate limit hit', { headers: { 'retry-after': '2' } }), null],
  '41': [error(131056, '(Business Account, Consumer Account) pair rate limit hit')],
  '42': [error(4, 'Application request limit reached'), error(80007, 'Rate limit issues')],
  '43': [OVERLOADED, OVERLOADED, null],
  '44': [error(1, 'An unknown error occurred', { is_transient: true })],
  '45': [{ answer: { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>' } }],
  '46': [{ cut_after_accept: true }],
  '47': [{ delay_ms: 30_000 }],
  '48': [{ answer: { status: 200, body: { messaging_product: 'whatsapp', contacts: [] } } }],
  '49': [OUTAGE_OF_10_S],
  '50': [error(190, 'Error validating access token: Session has expired', { subcode: 463 })],
  '51': [error(131031, 'Business Account locked')],
  '52': [error(368, 'Temporarily blocked for policies violations')],
  '53': [error(133010, 'Account not registered')],
  '54': [error(131042, 'Business eligibility payment issue')],
};

export const RefusedNumbersState = Type.Record(Type.String(), Type.Integer());

/** Test recipients whose sends fail at once. */
export class RefusedNumbers {
  private calls = new Map<string, number>();

  /** Counts a call. @returns its fault; undefined if the message is accepted */
  nextFault(recipient: string): Fault | undefined {
    // No country has the code 999, so `+999 1 <code>` is never a real number.
    const [, general] = /^9991(\d{1,7})$/.exec(recipient) ?? [];
    if (general !== undefined) return error(Number(general), 'Refused because of the test number');
    const [, number = ''] = /^120155501(\d\d)$/.exec(recipient) ?? [];
    const faults = BY_NUMBER[number];
    if (!faults) return undefined;
    const call = this.calls.get(number) ?? 0;
    this.calls.set(number, call + 1);
    return faults[call % faults.length] ?? undefined;
  }

  clear(): void {
    this.calls.clear();
  }

  /** Calls by number. */
  state(): Static<typeof RefusedNumbersState> {
    return Object.fromEntries(this.calls);
  }

  restore(state: Static<typeof RefusedNumbersState>): void {
    this.calls = new Map(Object.entries(state));
  }
}
