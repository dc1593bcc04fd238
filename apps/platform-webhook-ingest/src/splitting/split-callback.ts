import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EventEnvelope } from '@mgw/contracts';
import { outboxRow } from '@mgw/events';
import type { CallbackMessage, CallbackStatus, CallbackValue } from '@mgw/platform-api';
import { wholeDeadLetter, type InvalidUpdate, type SignedBody, type Updates } from '../callbacks/stored-callback';
import { accountEvent, templateEvent } from './change-events';
import { changesOf, countUpdates, isAccountField, isObject, list, numberOf, type Change, type Owners } from './changes';
import { Contacts } from './contacts';
import { messageEvent } from './message-event';
import { preferenceEvent, type CallbackPreference } from './preference-event';
import { statusEvent } from './status-event';

/** WhatsApp puts 1,000 updates at most into a callback (platform §4.2). */
const MAX_UPDATES = 5_000;
/** WhatsApp's longest text has 65,536 characters, before escapes and the rest of the message. */
const MAX_CHARACTERS = 96 * 1024;
/** Characters of all events of a callback. Its 3 MB need a third of them, unless hundreds of businesses share an account. */
const MAX_EVENT_CHARACTERS = 12 * 1024 * 1024;
/** Dead letters of a callback, and their bytes in total. Beyond either bound, one dead letter holds the whole callback instead. */
const MAX_DEAD_LETTERS = 100;
const MAX_DEAD_LETTER_BYTES = 512 * 1024;
const MAX_REASON_CHARACTERS = 500;
/** Splitting yields to requests and probes this often, in milliseconds. */
const YIELD_EVERY_MS = 10;

/**
 * Makes one event of each update. An invalid update becomes a dead letter with its reason, and the others continue (guarantees §2).
 * Events and dead letters together stay within a small multiple of the callback's size.
 * @throws Error if the whole callback must become one dead letter
 */
export async function splitCallback(parsed: unknown, callback: SignedBody, owners: Owners): Promise<Updates> {
  const changes = changesOf(parsed);
  if (countUpdates(changes) > MAX_UPDATES) throw new Error(`more than ${MAX_UPDATES} updates: WhatsApp sends 1,000 at most`);
  const splitting = new Splitting(callback, owners);
  let yieldAt = performance.now() + YIELD_EVERY_MS;
  for (const change of changes) {
    for (const step of splitting.steps(change)) {
      step();
      if (performance.now() < yieldAt) continue;
      await nextTurn();
      yieldAt = performance.now() + YIELD_EVERY_MS;
    }
  }
  return splitting.updates();
}

/** Collects the events and dead letters of one callback. */
class Splitting {
  private readonly signers: Set<number>;
  private readonly events: EventEnvelope[] = [];
  private readonly ignored = { unknown_number: 0, group: 0 };
  private eventCharacters = 0;
  private deadLetters: InvalidUpdate[] = [];
  private deadLetterBytes = 0;
  private invalidCount = 0;
  private firstReason = '';

  constructor(
    private readonly callback: SignedBody,
    private readonly owners: Owners,
  ) {
    this.signers = new Set(callback.businesses);
  }

  /** Yields a step for each update. No service needs other fields yet; they stay in the stored body if it is small (platform §4.6). */
  *steps(change: Change): Generator<() => void> {
    if (change.field === 'messages') yield* this.messages(change);
    else if (change.field === 'user_preferences') yield* this.preferences(change);
    else if (isAccountField(change.field)) yield () => this.accountChange(change);
  }

  updates(): Updates {
    const { events, ignored, invalidCount, firstReason } = this;
    if (invalidCount === this.deadLetters.length) return { events, invalid: this.deadLetters, ignored };
    const reason = invalidCount === 1 ? firstReason : `${invalidCount} invalid updates, the first one because: ${firstReason}`;
    return { events, invalid: [wholeDeadLetter(this.callback, new Error(reason))], ignored };
  }

  private *messages(change: Change): Generator<() => void> {
    const { value } = change;
    const messages = list<CallbackMessage>(value.messages);
    const statuses = list<CallbackStatus>(value.statuses);
    const number = numberOf(value);
    if (this.isUnknown(number)) return void (this.ignored.unknown_number += messages.length + statuses.length);
    const contacts = new Contacts(list(value.contacts));
    for (const message of messages) {
      const make = () => messageEvent(this.owner(number), number, message, contacts);
      // A group is not a person: no window, no conversation, no event (decision 48).
      if (isObject(message) && message['group_id']) yield () => void (this.ignored.group += 1);
      else
        yield () =>
          this.attempt(change, message, make, () => ({
            contacts: isObject(message) ? contacts.forDeadLetter(message) : [],
            messages: [message],
          }));
    }
    for (const status of statuses) {
      const make = () => statusEvent(this.owner(number), number, status);
      yield () => this.attempt(change, status, make, () => ({ statuses: [status] }));
    }
  }

  private *preferences(change: Change): Generator<() => void> {
    const preferences = list(change.value['user_preferences'] as CallbackPreference[] | undefined);
    const number = numberOf(change.value);
    if (this.isUnknown(number)) return void (this.ignored.unknown_number += preferences.length);
    for (const preference of preferences) {
      const make = () => preferenceEvent(this.owner(number), number, preference);
      yield () => this.attempt(change, preference, make, () => ({ user_preferences: [preference] }));
    }
  }

  private accountChange(change: Change): void {
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
  private attempt(change: Change, update: unknown, make: () => EventEnvelope, alone: () => CallbackValue): boolean {
    try {
      if (!isObject(update)) throw new Error('the update is not an object');
      if (JSON.stringify(update).length > MAX_CHARACTERS)
        throw new Error(`the update has more than ${MAX_CHARACTERS} characters: WhatsApp sends no such update`);
      const event = make();
      this.eventCharacters += outboxRow(event).body.length;
      if (this.eventCharacters > MAX_EVENT_CHARACTERS) throw new TooManyCharactersError();
      this.events.push(event);
      return true;
    } catch (error) {
      if (error instanceof TooManyCharactersError) throw error;
      this.setAside(change, (error as Error).message.slice(0, MAX_REASON_CHARACTERS), alone);
      return false;
    }
  }

  /** The dead letter holds a callback with this update only, so that a replay does not repeat the others. */
  private setAside({ account, time, field, value }: Change, reason: string, alone: () => CallbackValue): void {
    if (this.invalidCount === 0) this.firstReason = reason;
    this.invalidCount += 1;
    if (this.invalidCount > this.deadLetters.length + 1) return;
    const metadata = isAccountField(field) ? {} : { metadata: { phone_number_id: numberOf(value) } };
    const body = JSON.stringify({ entry: [{ id: account, time, changes: [{ field, value: { ...metadata, ...alone() } }] }] });
    this.deadLetterBytes += Buffer.byteLength(body);
    if (this.invalidCount > MAX_DEAD_LETTERS || this.deadLetterBytes > MAX_DEAD_LETTER_BYTES) this.deadLetters = [];
    else this.deadLetters.push({ field, body, businesses: this.callback.businesses, reason });
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
    super(`its events have more than ${MAX_EVENT_CHARACTERS} characters`);
  }
}
