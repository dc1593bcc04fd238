import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventEnvelope } from '@mgw/contracts';
import { outboxRow } from '@mgw/events';
import type { PlatformWebhook, WebhookChange, WebhookEntry, WebhookMessage, WebhookStatus, WebhookValue } from '@mgw/platform-api';
import type { ConnectionMap } from '../connections/connection-map';
import { asOneLetter } from '../receiving/dead-letters.store';
import type { BadUpdate, Delivery, Updates } from '../receiving/deliveries.store';
import { accountEvent } from './account-event';
import { Contacts } from './contacts';
import { messageEvent } from './message-event';
import { preferenceEvent, type WebhookPreference } from './preference-event';
import { statusEvent } from './status-event';
import { templateEvent } from './template-event';

export type Owners = Pick<ConnectionMap, 'isConnected' | 'ownerOfNumber' | 'ownersOfAccount'>;
export type Signed = Pick<Delivery, 'body' | 'businesses'>;

/** WhatsApp puts 1,000 updates at most into a callback (platform §4.2). */
const MOST_UPDATES = 5_000;
/** WhatsApp's longest text has 65,536 characters; escapes and the rest of the message come on top. */
const MOST_CHARACTERS = 96 * 1024;
/** Characters of all events of a callback: three times what its 3 MB can hold, unless an account belongs to hundreds of businesses. */
const MOST_EVENT_CHARACTERS = 12 * 1024 * 1024;
/** Dead letters of a callback, and their bytes together. Beyond either, one letter keeps the whole callback instead. */
const MOST_LETTERS = 100;
const MOST_LETTER_BYTES = 512 * 1024;
const MOST_REASON_CHARACTERS = 500;
/** Ids and names of fields; a longer one is treated as absent, because it would be copied into every event and letter. */
const MOST_WORD_CHARACTERS = 256;
/** Requests and probes wait this long at most while a callback is split, in milliseconds. */
const YIELD_EVERY_MS = 10;

/**
 * Makes one event of each update. An update that cannot be understood goes to the dead letters with its reason; the others go on
 * (guarantees §2). Events and letters together stay within a small multiple of the callback's own size.
 * @throws Error when the callback as a whole is to be set aside
 */
export async function splitDelivery(webhook: unknown, delivery: Signed, owners: Owners): Promise<Updates> {
  const changes = changesOf(webhook);
  if (countUpdates(changes) > MOST_UPDATES) throw new Error(`more than ${MOST_UPDATES} updates: WhatsApp sends 1,000 at most`);
  const splitting = new Splitting(delivery, owners);
  let yieldAt = performance.now() + YIELD_EVERY_MS;
  for (const one of changes) {
    for (const step of splitting.steps(one)) {
      step();
      if (performance.now() < yieldAt) continue;
      await nextTurn();
      yieldAt = performance.now() + YIELD_EVERY_MS;
    }
  }
  return splitting.updates();
}

export interface Change {
  account: string;
  time: number | undefined;
  field: string;
  value: WebhookValue;
}

export function changesOf(webhook: unknown): Change[] {
  const found: Change[] = [];
  for (const entry of list<WebhookEntry>((webhook as PlatformWebhook | null)?.entry)) {
    const time = typeof entry?.time === 'number' ? entry.time : undefined;
    for (const change of list<WebhookChange>(entry?.changes)) {
      const value = isObject(change?.value) ? change.value : {};
      found.push({ account: word(entry.id), time, field: word(change?.field), value });
    }
  }
  return found;
}

/** The business whose lane the updates of a change wait in; undefined when no signer claims the number or account. */
export function ownerOf({ account, field, value }: Change, signers: ReadonlySet<number>, owners: Owners): number | undefined {
  return isOfAccount(field) ? owners.ownersOfAccount(account, signers)[0] : owners.ownerOfNumber(numberOf(value), signers);
}

/** One delivery on its way to events and letters. */
class Splitting {
  private readonly signers: Set<number>;
  private readonly events: EventEnvelope[] = [];
  private readonly ignored = { unknown_number: 0, group: 0 };
  private eventCharacters = 0;
  private letters: BadUpdate[] = [];
  private letterBytes = 0;
  private bad = 0;
  private firstReason = '';

  constructor(
    private readonly delivery: Signed,
    private readonly owners: Owners,
  ) {
    this.signers = new Set(delivery.businesses);
  }

  /** One for each update; other fields than these stay in the stored body, because no service needs them yet (platform §4.6). */
  *steps(change: Change): Generator<() => void> {
    if (change.field === 'messages') yield* this.messages(change);
    else if (change.field === 'user_preferences') yield* this.preferences(change);
    else if (isOfAccount(change.field)) yield () => this.ofAccount(change);
  }

  updates(): Updates {
    const { events, ignored, bad, firstReason } = this;
    if (bad === this.letters.length) return { events, bad: this.letters, ignored };
    const reason = bad === 1 ? firstReason : `${bad} updates could not be understood, the first one because: ${firstReason}`;
    return { events, bad: [asOneLetter(this.delivery, new Error(reason))], ignored };
  }

  private *messages(change: Change): Generator<() => void> {
    const { value } = change;
    const messages = list<WebhookMessage>(value.messages);
    const statuses = list<WebhookStatus>(value.statuses);
    const number = numberOf(value);
    if (this.isUnknown(number)) return void (this.ignored.unknown_number += messages.length + statuses.length);
    const contacts = new Contacts(list(value.contacts));
    for (const message of messages) {
      const make = () => messageEvent(this.owner(number), number, message, contacts);
      // A group is not a person: no window, no conversation, no event (product decision 48).
      if (isObject(message) && message['group_id']) yield () => void (this.ignored.group += 1);
      else
        yield () =>
          this.attempt(change, message, make, () => ({
            contacts: isObject(message) ? contacts.asLetter(message) : [],
            messages: [message],
          }));
    }
    for (const status of statuses) {
      const make = () => statusEvent(this.owner(number), number, status);
      yield () => this.attempt(change, status, make, () => ({ statuses: [status] }));
    }
  }

  private *preferences(change: Change): Generator<() => void> {
    const preferences = list(change.value['user_preferences'] as WebhookPreference[] | undefined);
    const number = numberOf(change.value);
    if (this.isUnknown(number)) return void (this.ignored.unknown_number += preferences.length);
    for (const preference of preferences) {
      const make = () => preferenceEvent(this.owner(number), number, preference);
      yield () => this.attempt(change, preference, make, () => ({ user_preferences: [preference] }));
    }
  }

  private ofAccount(change: Change): void {
    const { account: accountId, time, field, value } = change;
    const make = field === 'account_update' ? accountEvent : templateEvent;
    const businesses = this.owners.ownersOfAccount(accountId, this.signers);
    for (const businessId of businesses) {
      const isGood = this.attempt(
        change,
        value,
        () => make(businessId, { accountId, time }, { field, value }),
        () => value,
      );
      if (!isGood) return;
    }
  }

  /** @returns whether the update became an event */
  private attempt(change: Change, update: unknown, make: () => EventEnvelope, alone: () => WebhookValue): boolean {
    try {
      if (!isObject(update)) throw new Error('the update is not an object');
      if (JSON.stringify(update).length > MOST_CHARACTERS)
        throw new Error(`the update has more than ${MOST_CHARACTERS} characters: WhatsApp sends no such update`);
      const event = make();
      this.eventCharacters += outboxRow(event).body.length;
      if (this.eventCharacters > MOST_EVENT_CHARACTERS) throw new TooManyCharactersError();
      this.events.push(event);
      return true;
    } catch (error) {
      if (error instanceof TooManyCharactersError) throw error;
      this.setAside(change, (error as Error).message.slice(0, MOST_REASON_CHARACTERS), alone);
      return false;
    }
  }

  /** The letter is a callback with this update only, so that a replay splits it without the others. */
  private setAside({ account, time, field, value }: Change, reason: string, alone: () => WebhookValue): void {
    if (this.bad === 0) this.firstReason = reason;
    this.bad += 1;
    if (this.bad > this.letters.length + 1) return;
    const metadata = isOfAccount(field) ? {} : { metadata: { phone_number_id: numberOf(value) } };
    const body = JSON.stringify({ entry: [{ id: account, time, changes: [{ field, value: { ...metadata, ...alone() } }] }] });
    this.letterBytes += Buffer.byteLength(body);
    if (this.bad > MOST_LETTERS || this.letterBytes > MOST_LETTER_BYTES) this.letters = [];
    else this.letters.push({ field, body, businesses: this.delivery.businesses, reason });
  }

  private isUnknown(number: string): boolean {
    return number !== '' && !this.owners.isConnected(number);
  }

  /** Only a business that holds the secret which signed the update may receive it (decisions 47, 255). */
  private owner(number: string): number {
    if (number === '') throw new Error('the update names no number');
    const businessId = this.owners.ownerOfNumber(number, this.signers);
    if (businessId === undefined) throw new Error(`no business with this app secret owns number ${number}`);
    return businessId;
  }
}

class TooManyCharactersError extends Error {
  constructor() {
    super(`its events have more than ${MOST_EVENT_CHARACTERS} characters`);
  }
}

function countUpdates(changes: Change[]): number {
  let count = 0;
  for (const { value } of changes) {
    for (const updates of [value.messages, value.statuses, value['user_preferences']]) count += list(updates as unknown[]).length;
  }
  return count + changes.filter(({ field }) => isOfAccount(field)).length;
}

function isOfAccount(field: string): boolean {
  return field === 'account_update' || /^(message_template|template_category)/.test(field);
}

function numberOf({ metadata }: WebhookValue): string {
  return word(metadata?.phone_number_id);
}

function list<T>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function word(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  const text = String(value);
  return text.length <= MOST_WORD_CHARACTERS ? text : '';
}
