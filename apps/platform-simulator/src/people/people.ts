import type { Account } from '../accounts/accounts';
import type { CallbackQueue } from '../callbacks/callback-queue';
import { envelope, seconds } from '../callbacks/envelope';
import { messageId } from '../graph/message-id';
import type { Conversations } from './conversations';

export interface Writing {
  account: Account;
  /** Digits, or a business-scoped user id. */
  from: string;
  name: string;
  type: string;
  /** The object named by `type`. */
  content: unknown;
  /** Milliseconds since 1970. */
  at: number;
  context?: object;
  /** Without, the webhook has no `contacts` (platform §0.2). */
  contacts?: boolean;
}

/** Customers: what they write goes out as webhooks. */
export class People {
  /** Added to the clock of generated times, in milliseconds. */
  clockOffsetMs = 0;

  constructor(
    private readonly callbacks: CallbackQueue,
    private readonly conversations: Conversations,
    private readonly random: () => number,
  ) {}

  now(): number {
    return Date.now() + this.clockOffsetMs;
  }

  /** @returns the message's id, when the webhook was posted once */
  async writes(...writings: [Writing, ...Writing[]]): Promise<string[]> {
    const [{ account }] = writings;
    const messages = writings.map((writing) => this.message(writing));
    const contacts = writings.filter(({ contacts: shown }) => shown !== false).map(contactOf);
    const value = { ...(contacts.length > 0 && { contacts }), messages };
    for (const { from, at } of writings) this.conversations.wrote(account.phone_number_id, from, at);
    await this.callbacks.post(account, envelope(account, 'messages', value));
    return messages.map(({ id }) => id);
  }

  async changesNumber(account: Account, before: string, after: string): Promise<void> {
    const id = messageId(before, this.random);
    const system = { body: `User changed from ${before} to ${after}`, wa_id: after, type: 'user_changed_number' };
    const message = { from: before, id, timestamp: seconds(this.now()), type: 'system', system };
    await this.callbacks.post(account, envelope(account, 'messages', { messages: [message] }));
  }

  private message({ from, type, content, at, context }: Writing) {
    return {
      ...(isPhone(from) ? { from } : { from_user_id: from }),
      id: messageId(from, this.random),
      timestamp: seconds(at),
      type,
      ...(context && { context }),
      [type]: content,
    };
  }
}

function contactOf({ from, name }: Writing) {
  return { profile: { name }, ...(isPhone(from) ? { wa_id: from } : { user_id: from }) };
}

function isPhone(name: string): boolean {
  return /^\d+$/.test(name);
}
