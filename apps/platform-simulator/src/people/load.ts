import { Type, type Static } from '@sinclair/typebox';
import type { Account, Accounts } from '../accounts/accounts';
import type { CallbackQueue } from '../callbacks/callback-queue';
import { envelope, seconds } from '../callbacks/envelope';
import type { Clock } from '../clock';
import { GraphFailure } from '../graph-error';
import { messageId } from '../message-id';
import type { SentMessages } from '../records/sent-messages';
import type { People } from './people';

export const LoadRequest = Type.Object(
  {
    phone_number_id: Type.String(),
    inbound_per_second: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    statuses_per_second: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 })),
    seconds: Type.Integer({ minimum: 1, maximum: 600 }),
    /** Number of customers. */
    people: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
    /** Updates in one callback. */
    batch: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  },
  { additionalProperties: false },
);

interface LoadProgress {
  running: boolean;
  /** Messages made so far. */
  inbound: number;
  statuses: number;
  /** Callbacks without a 200 yet. */
  held: number;
}

const TICK_MS = 50;
/** No country has the code 999, so these numbers are never real. */
const FIRST_PERSON = 99_920_000_000;

interface Kind {
  perSecond: number;
  made: number;
  act: (count: number) => void;
}

interface LoadParts {
  accounts: Accounts;
  callbacks: CallbackQueue;
  people: People;
  sent: SentMessages;
  clock: Clock;
  random: () => number;
}

/**
 * Makes customers' messages and statuses at an even pace for a while (platform §8.4). The statuses belong to random recent messages of
 * the number, or to unknown messages if it sent none.
 */
export class Load {
  private timer: NodeJS.Timeout | undefined;
  private kinds: Kind[] = [];

  constructor(private readonly parts: LoadParts) {}

  /** @throws GraphFailure while a load runs, or for an unknown number */
  start(request: Static<typeof LoadRequest>): void {
    if (this.timer) throw new GraphFailure(100, 'a load is running; end it with DELETE /__sim/load');
    const account = this.parts.accounts.byNumber(request.phone_number_id);
    if (!account) throw new GraphFailure(100, `no account has the number ${request.phone_number_id}`);
    const { people = 100, batch = 1 } = request;
    const inBatches = (count: number, act: (size: number) => void) => {
      for (let left = count; left > 0; left -= batch) act(Math.min(batch, left));
    };
    this.kinds = [
      { perSecond: request.inbound_per_second ?? 0, made: 0, act: (n) => inBatches(n, (size) => this.postMessages(account, size, people)) },
      { perSecond: request.statuses_per_second ?? 0, made: 0, act: (n) => inBatches(n, (size) => this.postStatuses(account, size)) },
    ];
    const startedAt = Date.now();
    this.timer = setInterval(() => this.tick(startedAt, request.seconds * 1_000), TICK_MS);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  progress(): LoadProgress {
    const [inbound = 0, statuses = 0] = this.kinds.map(({ made }) => made);
    return { running: this.timer !== undefined, inbound, statuses, held: this.parts.callbacks.held() };
  }

  private tick(startedAt: number, endMs: number): void {
    const elapsedMs = Math.min(Date.now() - startedAt, endMs);
    for (const kind of this.kinds) {
      const due = Math.floor((kind.perSecond * elapsedMs) / 1_000) - kind.made;
      if (due > 0) kind.act(due);
      kind.made += Math.max(0, due);
    }
    if (elapsedMs === endMs) this.stop();
  }

  private postMessages(account: Account, count: number, people: number): void {
    const message = () => {
      const person = Math.floor(this.parts.random() * people);
      const content = { body: `Message of load, person ${person + 1}` };
      return {
        account,
        from: String(FIRST_PERSON + person),
        name: `Load ${person + 1}`,
        type: 'text',
        content,
        at: this.parts.clock.now(),
      };
    };
    void this.parts.people.write(message(), ...Array.from({ length: count - 1 }, message));
  }

  private postStatuses(account: Account, count: number): void {
    const sent = this.parts.sent.byNumber(account.phone_number_id);
    const statuses = Array.from({ length: count }, () => {
      const nth = Math.floor(this.parts.random() * sent.length);
      const { id, recipient } = sent[nth] ?? { id: messageId(String(FIRST_PERSON), this.parts.random), recipient: String(FIRST_PERSON) };
      const recipientId = /^\d+$/.test(recipient) ? { recipient_id: recipient } : { recipient_user_id: recipient };
      return { id, status: this.parts.random() < 0.5 ? 'delivered' : 'read', timestamp: seconds(this.parts.clock.now()), ...recipientId };
    });
    void this.parts.callbacks.post(account, envelope(account, 'messages', { statuses }));
  }
}
