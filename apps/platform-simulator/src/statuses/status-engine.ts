import { Type, type Static, type TObject } from '@sinclair/typebox';
import type { Logger } from '@mgw/telemetry';
import type { Account, Accounts } from '../accounts/accounts';
import type { Clock } from '../clock';
import { Reply, type Phones } from '../records/phones';
import type { Identities } from '../people/identities';
import type { People } from '../people/people';
import { userIdOf } from '../people/person-name';
import { react } from '../people/replies';
import { Behaviour, type Step } from '../profile/behaviours';
import type { CallbackQueue } from '../callbacks/callback-queue';
import { envelope, seconds } from '../callbacks/envelope';
import type { StatusBatches } from './status-batches';

const followed = {
  messageId: Type.String(),
  /** The recipient in the request. */
  recipient: Type.String(),
  /** Digits, or the user id if `isPhone` is false. */
  waId: Type.String(),
  isPhone: Type.Boolean(),
  callbackData: Type.Union([Type.String(), Type.Null()]),
  behaviour: Behaviour,
  /** `service`, `utility`, `marketing` or `authentication`. */
  pricingCategory: Type.String(),
  /** Within 72 hours after the first reply to a click on an ad. */
  isFree: Type.Optional(Type.Boolean()),
  /** Sent by a tap on the message's first button. */
  tap: Type.Union([Reply, Type.Null()]),
};
type Followed = Static<TObject<typeof followed>> & { account: Account };

export const StatusEngineState = Type.Array(
  Type.Object({ ...followed, phone_number_id: Type.String(), step: Type.Integer(), due_in_ms: Type.Number() }),
);

interface Pending {
  message: Followed;
  /** Index of the behaviour's step. */
  step: number;
  dueAt: number;
  timer: NodeJS.Timeout;
}

/** Pauses vary by up to this fraction. */
const JITTER = 0.2;
const MAX_PENDING = 200_000;

interface StatusEngineParts {
  accounts: Accounts;
  callbacks: CallbackQueue;
  batches: StatusBatches;
  random: () => number;
  people: People;
  identities: Identities;
  phones: Phones;
  clock: Clock;
  logger: Logger;
}

/** Posts the statuses of accepted messages (platform §8.2). */
export class StatusEngine {
  private readonly pending = new Set<Pending>();

  constructor(private readonly parts: StatusEngineParts) {}

  /** Resolves when the response to the request may be sent. */
  async follow(message: Followed): Promise<void> {
    const { steps, early } = message.behaviour;
    if (early && steps.length > 0) await this.post(message, 0);
    for (let step = early ? 1 : 0; step < steps.length; step++) {
      const ms = (steps[step] as Step).afterMs * (1 - JITTER + 2 * JITTER * this.parts.random());
      this.schedule(message, step, ms);
    }
  }

  /** Drops the pending statuses. */
  clear(): void {
    for (const { timer } of this.pending) clearTimeout(timer);
    this.pending.clear();
  }

  /** Pending statuses. */
  count(): number {
    return this.pending.size;
  }

  state(): Static<typeof StatusEngineState> {
    const now = Date.now();
    return [...this.pending].map(({ message: { account, ...message }, step, dueAt }) => ({
      ...message,
      phone_number_id: account.phone_number_id,
      step,
      due_in_ms: Math.max(0, dueAt - now),
    }));
  }

  restore(state: Static<typeof StatusEngineState>): void {
    this.clear();
    for (const { phone_number_id, step, due_in_ms, ...message } of state) {
      const account = this.parts.accounts.byNumber(phone_number_id);
      if (account) this.schedule({ ...message, account }, step, due_in_ms);
    }
  }

  private schedule(message: Followed, step: number, ms: number): void {
    if (this.pending.size >= MAX_PENDING) {
      this.parts.logger.error({ pending: this.pending.size }, 'dropped a status: too many are pending');
      return;
    }
    const pending: Pending = {
      message,
      step,
      dueAt: Date.now() + ms,
      timer: setTimeout(() => {
        this.pending.delete(pending);
        void this.post(message, step);
      }, ms),
    };
    this.pending.add(pending);
  }

  private async post(message: Followed, index: number): Promise<void> {
    const { account, behaviour, recipient } = message;
    const { callbacks, batches, phones, people, identities, clock } = this.parts;
    const step = behaviour.steps[index] as Step;
    phones.mark(account.phone_number_id, identities.personOf(recipient), message.messageId, step.status);
    const status = statusOf(message, step, clock.now());
    const contact = step.status === 'failed' ? null : contactOf(message);
    await Promise.all(Array.from({ length: behaviour.repeat ?? 1 }, () => batches.add(account, { contact, status })));
    if (step.status === 'delivered' && behaviour.reaction) await react(people, behaviour.reaction, message);
    if (step.status === 'failed' && behaviour.stopsMarketing) await callbacks.post(account, preference(message, clock.now()));
  }
}

function showsPhone({ isPhone, behaviour }: Followed): boolean {
  return isPhone && behaviour.reaction !== 'username';
}

function userOf({ isPhone, waId }: Followed): string {
  return isPhone ? userIdOf(waId) : waId;
}

function contactOf(message: Followed): Record<string, unknown> {
  return showsPhone(message) ? { wa_id: message.waId, user_id: userOf(message) } : { user_id: userOf(message) };
}

/** A failed status to a phone has no user id (platform §4.5). */
function recipientOf(message: Followed, step: Step): Record<string, unknown> {
  if (!showsPhone(message)) return { recipient_user_id: userOf(message) };
  return { recipient_id: message.waId, ...(step.status !== 'failed' && { recipient_user_id: userOf(message) }) };
}

const PRICED = ['sent', 'delivered'];

function statusOf(message: Followed, step: Step, now: number): Record<string, unknown> {
  const { messageId, callbackData, pricingCategory: category, isFree = false } = message;
  const type = isFree ? 'free_entry_point' : 'regular';
  return {
    id: messageId,
    status: step.status,
    timestamp: seconds(now),
    ...recipientOf(message, step),
    ...(callbackData !== null && { biz_opaque_callback_data: callbackData }),
    ...(step.error && { errors: [errorOf(step.error)] }),
    ...(PRICED.includes(step.status) && { pricing: { billable: !isFree, pricing_model: 'PMP', type, category } }),
  };
}

function errorOf({ code, title, details = title }: NonNullable<Step['error']>): Record<string, unknown> {
  const href = 'https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/';
  return { code, title, message: title, error_data: { details }, href };
}

function preference({ account, waId, isPhone }: Followed, now: number): unknown {
  const person = isPhone ? { wa_id: waId } : { user_id: waId };
  const stop = {
    ...person,
    detail: 'User requested to stop marketing messages',
    category: 'marketing_messages',
    value: 'stop',
    timestamp: Math.floor(now / 1_000),
  };
  return envelope(account, 'user_preferences', { contacts: [person], user_preferences: [stop] });
}
