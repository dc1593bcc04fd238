import type { Account } from '../accounts/accounts';
import type { CallbackQueue } from '../callbacks/callback-queue';
import { envelope, seconds } from '../callbacks/envelope';
import type { Clock } from '../clock';
import type { Phones } from '../control/phone';
import { messageId } from '../graph/message-id';
import type { Limits } from '../limits/limits';
import type { Conversations } from './conversations';

export interface Writing {
  account: Account;
  /** Digits, or a business-scoped user id. */
  from: string;
  /** Told beside the digits (platform §4.7). */
  userId?: string | undefined;
  name: string;
  type: string;
  /** The object named by `type`; undefined: there is none, as with media that failed. */
  content: Record<string, unknown> | undefined;
  /** Milliseconds since 1970. */
  at: number;
  /** Members beside it: `context`, `referral`, `errors`. */
  beside?: Record<string, unknown>;
  /** Without, the webhook has no `contacts` (platform §0.2). */
  contacts?: boolean;
}

/** Customers: what they write goes out as webhooks. */
export class People {
  constructor(
    private readonly callbacks: CallbackQueue,
    private readonly conversations: Conversations,
    private readonly phones: Phones,
    private readonly limits: Limits,
    private readonly clock: Clock,
    private readonly random: () => number,
  ) {}

  now(): number {
    return this.clock.now();
  }

  /** @returns the messages' ids, when the webhook was posted once */
  async writes(...writings: [Writing, ...Writing[]]): Promise<string[]> {
    const [{ account }] = writings;
    const messages = writings.map((writing) => this.message(writing));
    const contacts = writings.filter(({ contacts: shown }) => shown !== false).map(contactOf);
    const value = { ...(contacts.length > 0 && { contacts }), messages };
    writings.forEach((writing, i) => this.note(writing, messages[i]?.id ?? ''));
    await this.callbacks.post(account, envelope(account, 'messages', value));
    return messages.map(({ id }) => id);
  }

  async changesNumber(account: Account, before: string, after: string): Promise<void> {
    const id = messageId(before, this.random);
    const system = { body: `User changed from ${before} to ${after}`, wa_id: after, type: 'user_changed_number' };
    const message = { from: before, id, timestamp: seconds(this.now()), type: 'system', system };
    await this.callbacks.post(account, envelope(account, 'messages', { messages: [message] }));
  }

  private note({ account, from, type, content, at }: Writing, id: string): void {
    const { phone_number_id } = account;
    this.conversations.wrote(phone_number_id, from, at);
    this.limits.received(account);
    const { body, text, emoji, caption, id: mediaId } = (content ?? {}) as Record<string, string | undefined>;
    this.phones.add(phone_number_id, from, {
      id,
      direction: 'out',
      type,
      text: body ?? text ?? emoji ?? caption ?? `[${type}]`,
      buttons: [],
      ...(mediaId !== undefined && { media_id: mediaId }),
      at: new Date(at).toISOString(),
      status: '',
    });
  }

  private message({ from, userId, type, content, at, beside }: Writing) {
    return {
      ...(isPhone(from) ? { from, ...(userId && { from_user_id: userId }) } : { from_user_id: from }),
      id: messageId(from, this.random),
      timestamp: seconds(at),
      type,
      ...beside,
      ...(content && { [type]: content }),
    };
  }
}

function contactOf({ from, userId, name }: Writing) {
  return { profile: { name }, ...(isPhone(from) ? { wa_id: from, ...(userId && { user_id: userId }) } : { user_id: from }) };
}

function isPhone(name: string): boolean {
  return /^\d+$/.test(name);
}
