import type { Account } from '../accounts/accounts';
import type { CallbackQueue } from '../callbacks/callback-queue';
import { envelope, seconds } from '../callbacks/envelope';
import type { Clock } from '../clock';
import type { Phones } from '../records/phones';
import { messageId } from '../message-id';
import type { Limits } from '../limits/limits';
import type { Conversations } from './conversations';
import type { Identities } from './identities';

export interface InboundMessage {
  account: Account;
  /** Digits, or a business-scoped user id. */
  from: string;
  /** Sent with the digits (platform §4.7). */
  userId?: string | undefined;
  name: string;
  username?: string | undefined;
  type: string;
  /** The member named by `type`; undefined if there is none, as in media that failed. Contacts are a list. */
  content: Record<string, unknown> | Record<string, unknown>[] | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** Further members: `context`, `referral`, `errors`. */
  members?: Record<string, unknown>;
  /** False for a callback without `contacts` (platform §0.2). */
  contacts?: boolean;
}

/** Posts customers' messages as callbacks. */
export class People {
  constructor(
    private readonly callbacks: CallbackQueue,
    private readonly identities: Identities,
    private readonly conversations: Conversations,
    private readonly phones: Phones,
    private readonly limits: Limits,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  now(): number {
    return this.clock.now();
  }

  /** Posts the messages in one callback. @returns their ids after the first attempt */
  async write(...inbound: [InboundMessage, ...InboundMessage[]]): Promise<string[]> {
    const [{ account }] = inbound;
    const messages = inbound.map((message) => this.wireMessage(message));
    const contacts = inbound.filter(({ contacts }) => contacts !== false).map(contactOf);
    const value = { ...(contacts.length > 0 && { contacts }), messages };
    inbound.forEach((message, i) => this.record(message, messages[i]?.id ?? ''));
    await this.callbacks.post(account, envelope(account, 'messages', value));
    return messages.map(({ id }) => id);
  }

  async changeNumber(account: Account, before: string, after: string): Promise<void> {
    const id = messageId(before, this.random);
    const system = { body: `User changed from ${before} to ${after}`, wa_id: after, type: 'user_changed_number' };
    const message = { from: before, id, timestamp: seconds(this.now()), type: 'system', system };
    await this.callbacks.post(account, envelope(account, 'messages', { messages: [message] }));
  }

  private record({ account, from, userId, type, content, at, members }: InboundMessage, id: string): void {
    const { phone_number_id } = account;
    if (userId && isPhone(from)) this.identities.link(userId, from);
    const person = this.identities.personOf(from);
    if (type !== 'edit' && type !== 'revoke') this.conversations.wrote(phone_number_id, person, at);
    if (members?.['referral']) this.conversations.clicked(phone_number_id, person, at);
    this.limits.countReceived(account);
    // The content is any JSON.
    const { body, text, emoji, caption, id: mediaId } = (content ?? {}) as Record<string, unknown>;
    const shown = [body, text, emoji, caption].find((one) => typeof one === 'string');
    this.phones.add(phone_number_id, person, {
      id,
      direction: 'out',
      type,
      text: shown ?? `[${type}]`,
      buttons: [],
      ...(typeof mediaId === 'string' && { media_id: mediaId }),
      at: new Date(at).toISOString(),
      status: '',
    });
  }

  private wireMessage({ from, userId, type, content, at, members }: InboundMessage) {
    return {
      ...(isPhone(from) ? { from, ...(userId && { from_user_id: userId }) } : { from_user_id: from }),
      id: messageId(from, this.random),
      timestamp: seconds(at),
      type,
      ...members,
      ...(content && { [type]: content }),
    };
  }
}

function contactOf({ from, userId, name, username }: InboundMessage) {
  return {
    profile: { name, ...(username && { username }) },
    ...(isPhone(from) ? { wa_id: from, ...(userId && { user_id: userId }) } : { user_id: from }),
  };
}

function isPhone(id: string): boolean {
  return /^\d+$/.test(id);
}
