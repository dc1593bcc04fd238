import { isBusinessScopedId, isWaId } from '@mgw/phone';
import type { CallbackContact, CallbackMessage } from '@mgw/platform-api';

/** WhatsApp's profile names have up to 25 characters, names of businesses up to 512. */
const MAX_NAME_CHARACTERS = 512;

export interface Sender {
  phone: string | null;
  user_id: string | null;
  name: string;
}

/** The contacts that come with the messages of one change. Finds them by phone or user id. */
export class Contacts {
  private readonly byId = new Map<string, CallbackContact>();
  private readonly single: CallbackContact | undefined;

  constructor(contacts: CallbackContact[]) {
    if (contacts.length === 1) [this.single] = contacts;
    for (const contact of contacts) for (const id of idsOf(contact)) if (!this.byId.has(id)) this.byId.set(id, contact);
  }

  /** A missing phone or user id is absent or empty; a user id may come in the field of a phone (platform §4.7). */
  senderOf(message: CallbackMessage): Sender {
    const contact = this.contactOf(message);
    const ids = [...nonEmptyStrings(message.from, message.from_user_id), ...idsOf(contact)];
    const { name } = contact?.profile ?? {};
    return {
      phone: ids.find(isWaId) ?? null,
      user_id: ids.find(isBusinessScopedId) ?? null,
      name: typeof name === 'string' ? name.slice(0, MAX_NAME_CHARACTERS).toWellFormed() : '',
    };
  }

  /** The customer's username, if WhatsApp sends it. */
  usernameOf(message: CallbackMessage): unknown {
    return this.contactOf(message)?.profile?.username;
  }

  /** The contact of a message, shortened for a dead letter. */
  forDeadLetter(message: CallbackMessage): CallbackContact[] {
    const contact = this.contactOf(message);
    if (!contact) return [];
    const { phone, user_id, name } = this.senderOf(message);
    return [{ profile: { name }, ...(phone !== null && { wa_id: phone }), ...(user_id !== null && { user_id }) }];
  }

  /** A message without ids belongs to the single contact. A system message has no contact (platform §4.4). */
  private contactOf(message: CallbackMessage): CallbackContact | undefined {
    const own = nonEmptyStrings(message.from, message.from_user_id);
    if (own.length === 0) return message.type === 'system' ? undefined : this.single;
    for (const id of own) {
      const contact = this.byId.get(id);
      if (contact) return contact;
    }
    return undefined;
  }
}

function idsOf(contact: CallbackContact | undefined): string[] {
  return nonEmptyStrings(contact?.wa_id, contact?.user_id);
}

function nonEmptyStrings(...values: unknown[]): string[] {
  return values.filter((value): value is string => typeof value === 'string' && value !== '');
}
