import { isBusinessScopedId, isWaId } from '@mgw/phone';
import type { WebhookContact, WebhookMessage } from '@mgw/platform-api';

/** WhatsApp's profile names have 25 characters, names of businesses up to 512. */
const MOST_NAME_CHARACTERS = 512;

export interface Sender {
  phone: string | null;
  user_id: string | null;
  name: string;
}

/** The contacts beside the messages of one change, found by any of their names. */
export class Contacts {
  private readonly byName = new Map<string, WebhookContact>();
  private readonly only: WebhookContact | undefined;

  constructor(contacts: WebhookContact[]) {
    if (contacts.length === 1) [this.only] = contacts;
    for (const contact of contacts) for (const name of namesOf(contact)) if (!this.byName.has(name)) this.byName.set(name, contact);
  }

  /** The keys are absent rather than empty, but both occur; a user id may stand where a phone belongs (platform §4.7). */
  senderOf(message: WebhookMessage): Sender {
    const contact = this.of(message);
    const names = [...given(message.from, message.from_user_id), ...namesOf(contact)];
    const { name } = contact?.profile ?? {};
    return {
      phone: names.find(isWaId) ?? null,
      user_id: names.find(isBusinessScopedId) ?? null,
      name: typeof name === 'string' ? name.slice(0, MOST_NAME_CHARACTERS).toWellFormed() : '',
    };
  }

  /** The contact of a message in few bytes, for its dead letter. */
  asLetter(message: WebhookMessage): WebhookContact[] {
    const contact = this.of(message);
    if (!contact) return [];
    const { phone, user_id, name } = this.senderOf(message);
    return [{ profile: { name }, ...(phone !== null && { wa_id: phone }), ...(user_id !== null && { user_id }) }];
  }

  /**
   * A message without names belongs to the only contact. A system message has no contact (platform §4.4): one beside it belongs to
   * another message.
   */
  private of(message: WebhookMessage): WebhookContact | undefined {
    const own = given(message.from, message.from_user_id);
    if (own.length === 0) return message.type === 'system' ? undefined : this.only;
    for (const name of own) {
      const contact = this.byName.get(name);
      if (contact) return contact;
    }
    return undefined;
  }
}

function namesOf(contact: WebhookContact | undefined): string[] {
  return given(contact?.wa_id, contact?.user_id);
}

function given(...names: unknown[]): string[] {
  return names.filter((name): name is string => typeof name === 'string' && name !== '');
}
