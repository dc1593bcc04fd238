import type { PlatformCallback, CallbackChange, CallbackEntry, CallbackValue } from '@mgw/platform-api';
import type { ConnectionMap } from '../connections/connection-map';

export type Owners = Pick<ConnectionMap, 'isConnected' | 'ownerOfNumber' | 'ownersOfAccount'>;

/** Ids and names of fields. A longer one counts as absent, because every event and dead letter would copy it. */
const MAX_ID_CHARACTERS = 256;

export interface Change {
  account: string;
  time: number | undefined;
  field: string;
  value: CallbackValue;
}

export function changesOf(parsed: unknown): Change[] {
  const found: Change[] = [];
  for (const entry of list<CallbackEntry>((parsed as PlatformCallback | null)?.entry)) {
    const time = typeof entry?.time === 'number' ? entry.time : undefined;
    for (const change of list<CallbackChange>(entry?.changes)) {
      const value = isObject(change?.value) ? change.value : {};
      found.push({ account: shortText(entry.id), time, field: shortText(change?.field), value });
    }
  }
  return found;
}

/**
 * The lane that the updates of a change wait in: the business that owns its number or account, or 0 if no signer claims it; undefined if
 * the change names none.
 */
export function laneOf({ account, field, value }: Change, signers: ReadonlySet<number>, owners: Owners): number | undefined {
  const id = isAccountField(field) ? account : numberOf(value);
  if (id === '') return undefined;
  return (isAccountField(field) ? owners.ownersOfAccount(id, signers)[0] : owners.ownerOfNumber(id, signers)) ?? 0;
}

/** Whether each change has an owner, or names none. If not, newer connections may have it. */
export function haveOwners(changes: Change[], signers: ReadonlySet<number>, owners: Owners): boolean {
  return changes.every((change) => laneOf(change, signers, owners) !== 0);
}

export function countUpdates(changes: Change[]): number {
  let count = 0;
  for (const { value } of changes) {
    for (const updates of [value.messages, value.statuses, value['user_preferences']]) count += list(updates as unknown[]).length;
  }
  return count + changes.filter(({ field }) => isAccountField(field)).length;
}

export function isAccountField(field: string): boolean {
  return field === 'account_update' || /^(message_template|template_category)/.test(field);
}

export function numberOf({ metadata }: CallbackValue): string {
  return shortText(metadata?.phone_number_id);
}

export function list<T>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value : [];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** The members of an object; none for any other value. */
export function membersOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

/** An id or name; "" for a value of another type and for one that is too long. */
export function shortText(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = String(value);
  return text.length <= MAX_ID_CHARACTERS ? text : '';
}
