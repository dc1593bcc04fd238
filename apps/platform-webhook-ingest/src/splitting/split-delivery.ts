import type { EventEnvelope } from '@mgw/contracts';
import type { PlatformWebhook, WebhookChange, WebhookEntry, WebhookValue } from '@mgw/platform-api';
import type { ConnectionMap } from '../connections/connection-map';
import type { Delivery, Updates } from '../receiving/deliveries.store';
import { accountEvent } from './account-event';
import { messageEvent } from './message-event';
import { preferenceEvent, type WebhookPreference } from './preference-event';
import { statusEvent } from './status-event';
import { templateEvent } from './template-event';

type Owners = Pick<ConnectionMap, 'businessOfNumber' | 'businessesOfAccount'>;

/** One event per update. An update that cannot be understood is set aside with its reason; the others go on (guarantees §2). */
export function splitDelivery(body: unknown, { businesses }: Pick<Delivery, 'businesses'>, owners: Owners): Updates {
  const parts: Updates = { events: [], bad: [] };
  const webhook = body as PlatformWebhook | null;
  const signers = new Set(businesses);
  for (const entry of list<WebhookEntry>(webhook?.entry)) {
    for (const change of list<WebhookChange>(entry?.changes)) splitChange(entry, change, { parts, signers, owners });
  }
  return parts;
}

function splitChange(entry: WebhookEntry, change: WebhookChange, place: { parts: Updates; signers: Set<number>; owners: Owners }): void {
  const { parts, signers, owners } = place;
  const field = word(change?.field);
  // A bad update is kept as a callback of its own, so that it can be split again without the others.
  const attempt = (make: () => EventEnvelope, alone: object) => {
    try {
      parts.events.push(make());
    } catch (error) {
      const body = JSON.stringify({ entry: [{ ...entry, changes: [{ field, value: { ...change.value, ...alone } }] }] });
      parts.bad.push({ field, body, businesses: [...signers], reason: (error as Error).message });
    }
  };
  if (field === 'messages') {
    const value: WebhookValue = change.value ?? {};
    const number = word(value.metadata?.phone_number_id);
    const owner = () => signed(owners.businessOfNumber(number), signers, `number ${number}`);
    for (const message of list(value.messages))
      attempt(() => messageEvent(owner(), number, message, list(value.contacts)), { messages: [message], statuses: [] });
    for (const status of list(value.statuses)) attempt(() => statusEvent(owner(), number, status), { messages: [], statuses: [status] });
  } else if (field === 'user_preferences') {
    const number = word(change.value?.metadata?.phone_number_id);
    const owner = () => signed(owners.businessOfNumber(number), signers, `number ${number}`);
    const preferences = list(change.value?.['user_preferences'] as WebhookPreference[] | undefined);
    for (const preference of preferences) attempt(() => preferenceEvent(owner(), number, preference), { user_preferences: [preference] });
  } else if (/^(message_template|template_category)/.test(field) || field === 'account_update') {
    const make = field === 'account_update' ? accountEvent : templateEvent;
    const account = { accountId: word(entry.id), time: entry.time };
    for (const businessId of owners.businessesOfAccount(account.accountId).filter((id) => signers.has(id)))
      attempt(() => make(businessId, account, change), {});
  }
  // Other fields stay in the stored body: nothing of this product needs them yet (platform §4.6).
}

/** An update is honoured only for a business that holds the secret which signed it (product decision 47). */
function signed(businessId: number | undefined, signers: Set<number>, what: string): number {
  if (businessId === undefined) throw new Error(`${what} belongs to no business here`);
  if (!signers.has(businessId)) throw new Error(`${what} belongs to a business with another app secret`);
  return businessId;
}

function list<T>(value: T[] | undefined): T[] {
  return Array.isArray(value) ? value : [];
}

/** Ids and names of fields; anything but a text or a number is none. */
function word(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
