import type { Account } from '../accounts/accounts';
import type { Phones } from '../control/phone';
import type { People } from '../people/people';
import { react, userIdOf } from '../people/replies';
import type { Behaviour, Step } from '../people/test-numbers';
import type { CallbackQueue } from './callback-queue';
import { envelope, seconds } from './envelope';

export interface Followed {
  account: Account;
  messageId: string;
  /** As it was dialled. */
  recipient: string;
  /** Digits, or the user id when `isPhone` is false. */
  waId: string;
  isPhone: boolean;
  callbackData: unknown;
  behaviour: Behaviour;
  /** Label of the message's first quick-reply button. */
  button: string | null;
}

/** Up to this part of a pause is added or taken away. */
const JITTER = 0.2;

/** Tells what becomes of an accepted message (platform §8.2). */
export class StatusEngine {
  private readonly timers = new Set<NodeJS.Timeout>();

  constructor(
    private readonly callbacks: CallbackQueue,
    private readonly random: () => number,
    private readonly people: People,
    private readonly phones: Phones,
  ) {}

  /** Resolves when the answer to the request may go out. */
  async follow(message: Followed): Promise<void> {
    const { steps, early } = message.behaviour;
    const [first, ...others] = steps;
    if (early && first) await this.tell(message, first);
    for (const step of early ? others : steps) this.later(step.afterMs, () => void this.tell(message, step));
  }

  close(): void {
    for (const timer of this.timers) clearTimeout(timer);
  }

  private later(ms: number, act: () => void): void {
    const timer = setTimeout(
      () => {
        this.timers.delete(timer);
        act();
      },
      ms * (1 - JITTER + 2 * JITTER * this.random()),
    );
    this.timers.add(timer);
  }

  private async tell(message: Followed, step: Step): Promise<void> {
    const { account, waId, behaviour, recipient } = message;
    const isPhone = message.isPhone && behaviour.reaction !== 'username';
    const now = this.people.now();
    this.phones.mark(account.phone_number_id, recipient, message.messageId, step.status);
    const contacts = step.status === 'failed' ? {} : { contacts: [isPhone ? { wa_id: waId } : { user_id: nameless(message) }] };
    const payload = envelope(account, 'messages', { ...contacts, statuses: [statusOf(message, step, now)] });
    const posts = Array.from({ length: behaviour.repeat ?? 1 }, () => this.callbacks.post(account, payload));
    await Promise.all(posts);
    if (step.status === 'delivered' && behaviour.reaction) await react(this.people, behaviour.reaction, message);
    if (step.status === 'failed' && behaviour.stopsMarketing) await this.callbacks.post(account, preference(message, now));
  }
}

/** Who the platform names when it withholds the phone. */
function nameless({ isPhone, waId }: Followed): string {
  return isPhone ? userIdOf(waId) : waId;
}

function statusOf(message: Followed, step: Step, now: number): Record<string, unknown> {
  const { messageId, waId, isPhone, callbackData, behaviour } = message;
  return {
    id: messageId,
    status: step.status,
    timestamp: seconds(now),
    ...(isPhone && behaviour.reaction !== 'username' ? { recipient_id: waId } : { recipient_user_id: nameless(message) }),
    ...(typeof callbackData === 'string' && { biz_opaque_callback_data: callbackData }),
    ...(step.error && {
      errors: [{ code: step.error.code, title: step.error.title, message: step.error.title, error_data: { details: step.error.title } }],
    }),
    ...(step.status === 'sent' && { pricing: { billable: true, pricing_model: 'PMP', type: 'regular', category: 'utility' } }),
  };
}

function preference({ account, waId, isPhone }: Followed, now: number): unknown {
  const who = isPhone ? { wa_id: waId } : { user_id: waId };
  const stop = {
    ...who,
    detail: 'User requested to stop marketing messages',
    category: 'marketing_messages',
    value: 'stop',
    timestamp: Math.floor(now / 1_000),
  };
  return envelope(account, 'user_preferences', { contacts: [who], user_preferences: [stop] });
}
