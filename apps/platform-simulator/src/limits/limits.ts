import { Type, type Static } from '@sinclair/typebox';
import type { Account } from '../accounts/accounts';
import type { Clock } from '../clock';
import { GraphFailure } from '../graph-error';
import { TIERS, type Profile } from '../profile/profile';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** The pause between two messages to one person. */
const PAIR_EVERY_MS = 6_000;
const PAIR_BURST = 45;
const MAX_PAIRS = 100_000;
const MAX_PEOPLE = 200_000;

const Times = Type.Record(Type.String(), Type.Array(Type.Number()));
const Time = Type.Record(Type.String(), Type.Number());
export const LimitsState = Type.Object({ messages: Times, calls: Times, pairs: Time, people: Time });

/** Enforces the profile's limits on the simulator's clock, with the platform's errors (platform §5). */
export class Limits {
  /** Times of a number's newest messages. */
  private messages = new Map<string, number[]>();
  /** Times of a business account's newest management calls. */
  private calls = new Map<string, number[]>();
  /** The messages to a person use the pair limit up to this time, by number/person. */
  private pairs = new Map<string, number>();
  /** The time when a business account last started a conversation with a person, by account/person. */
  private people = new Map<string, number>();

  constructor(
    private readonly profile: Profile,
    private readonly clock: Clock,
  ) {}

  /** Counts a customer's message, which uses the number's rate too. */
  countReceived({ phone_number_id }: Account): void {
    const { messages_per_second: most } = this.profile.settings;
    if (most !== null) this.count(this.messages, phone_number_id, most, SECOND_MS);
  }

  /** Counts a message of the number. @throws GraphFailure 130429 */
  countSent({ phone_number_id }: Account): void {
    const { messages_per_second: most } = this.profile.settings;
    if (most === null || this.count(this.messages, phone_number_id, most, SECOND_MS) === null) return;
    throw new GraphFailure(130429, 'Rate limit hit', {
      details: 'Message failed to send because there were too many messages sent from this phone number in a short period of time',
    });
  }

  /** Counts a message to one person. @throws GraphFailure 131056 */
  countForPerson({ phone_number_id }: Account, person: string): void {
    if (!this.profile.settings.pair_limit) return;
    const now = this.clock.now();
    const key = `${phone_number_id}/${person}`;
    // A burst uses the limit of the following messages.
    const usedUntil = Math.max(now, this.pairs.get(key) ?? 0);
    if (usedUntil - now > (PAIR_BURST - 1) * PAIR_EVERY_MS) {
      throw new GraphFailure(131056, '(Business Account, Consumer Account) pair rate limit hit', {
        details:
          'Message failed to send because there were too many messages sent from this phone number to the same phone number in a short period of time',
      });
    }
    keep(this.pairs, key, usedUntil + PAIR_EVERY_MS, MAX_PAIRS);
  }

  /** Counts a message outside the customer service window. @throws GraphFailure 131048 */
  startConversation({ business_account_id }: Account, person: string): void {
    const most = TIERS[this.profile.settings.tier];
    if (most === Infinity) return;
    const now = this.clock.now();
    const prefix = `${business_account_id}/`;
    const key = prefix + person;
    const isRecent = (at: number | undefined) => at !== undefined && at <= now && now - at < DAY_MS;
    if (!isRecent(this.people.get(key))) {
      const written = [...this.people].filter(([name, at]) => name.startsWith(prefix) && isRecent(at)).length;
      if (written >= most) {
        throw new GraphFailure(131048, 'Spam rate limit hit', {
          details: `Message failed to send because there are restrictions on how many messages can be sent from this phone number: ${most} people in 24 hours`,
        });
      }
    }
    keep(this.people, key, now, MAX_PEOPLE);
  }

  /** Counts a call for templates or numbers. @throws GraphFailure 80007 with the header that gives the time of the next call */
  countManagementCall({ business_account_id }: Account): void {
    const { management_calls_per_hour: most } = this.profile.settings;
    if (most === null) return;
    const oldest = this.count(this.calls, business_account_id, most, HOUR_MS);
    if (oldest === null) return;
    const minutes = Math.ceil((oldest + HOUR_MS - this.clock.now()) / 60_000);
    const usage = { type: 'whatsapp', call_count: 100, total_cputime: 0, total_time: 0, estimated_time_to_regain_access: minutes };
    throw new GraphFailure(80007, 'There have been too many calls to this WhatsApp Business account. Wait a bit and try again', {
      headers: { 'x-business-use-case-usage': JSON.stringify({ [business_account_id]: [usage] }) },
    });
  }

  clear(): void {
    for (const counted of [this.messages, this.calls, this.pairs, this.people]) counted.clear();
  }

  state(): Static<typeof LimitsState> {
    const [messages, calls] = [Object.fromEntries(this.messages), Object.fromEntries(this.calls)];
    return { messages, calls, pairs: Object.fromEntries(this.pairs), people: Object.fromEntries(this.people) };
  }

  restore({ messages, calls, pairs, people }: Static<typeof LimitsState>): void {
    [this.messages, this.calls] = [new Map(Object.entries(messages)), new Map(Object.entries(calls))];
    [this.pairs, this.people] = [new Map(Object.entries(pairs)), new Map(Object.entries(people))];
  }

  /** Counts one event of a name. @returns null, or the time of the oldest one if the limit is reached */
  private count(counted: Map<string, number[]>, name: string, most: number, withinMs: number): number | null {
    const now = this.clock.now();
    const recent = (counted.get(name) ?? []).filter((at) => at <= now && now - at < withinMs);
    counted.set(name, recent);
    if (recent.length >= most) return recent[0] as number;
    recent.push(now);
    return null;
  }
}

/** Makes the key the newest and drops the oldest above `most`. */
function keep(map: Map<string, number>, key: string, value: number, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value as string);
}
