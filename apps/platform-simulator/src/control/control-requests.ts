import type { Static, TSchema } from '@sinclair/typebox';
import { matches, mismatch } from '@mgw/contracts';
import type { Account } from '../accounts/accounts';
import { GraphFailure } from '../graph-error';
import { personName } from '../people/person-name';
import { type SimulatorParts } from '../simulator-parts';

/** @throws GraphFailure 100 with the first mismatch */
export function readRequest<S extends TSchema>(schema: S, body: unknown): Static<S> {
  if (matches(schema, body)) return body;
  throw new GraphFailure(100, mismatch(schema, body) ?? 'the body is not valid');
}

/** @returns digits or a business-scoped user id @throws GraphFailure 100 */
export function readPerson(field: string, text: string): string {
  const person = personName(text);
  if (person === null) throw new GraphFailure(100, `${field} must be a phone number or a business-scoped user id`);
  return person;
}

/** @throws GraphFailure 100 */
export function accountOfNumber(parts: SimulatorParts, phoneNumberId: string): Account {
  const account = parts.accounts.byNumber(phoneNumberId);
  if (!account) throw new GraphFailure(100, `no account has the number ${phoneNumberId}`);
  return account;
}
