import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../clock';

const DAY_MS = 86_400_000;
const MAX = 100_000;

export const ConversationsState = Type.Array(
  Type.Object({
    phone_number_id: Type.String(),
    person: Type.String(),
    /** Milliseconds since 1970. */
    last_wrote_at: Type.Number(),
  }),
  { maxItems: MAX },
);

/** The time of each person's last message to each number. The window is open for a day after it. */
export class Conversations {
  private readonly lastWrote = new Map<string, number>();

  constructor(private readonly clock: Clock) {}

  /** A message with an earlier time does not shorten the window (platform §0.9). */
  wrote(phoneNumberId: string, person: string, at: number): void {
    const key = `${phoneNumberId}/${person}`;
    const last = this.lastWrote.get(key) ?? -Infinity;
    this.lastWrote.delete(key);
    this.lastWrote.set(key, Math.max(last, at));
    if (this.lastWrote.size > MAX) this.lastWrote.delete(this.lastWrote.keys().next().value as string);
  }

  clear(): void {
    this.lastWrote.clear();
  }

  isOpen(phoneNumberId: string, person: string): boolean {
    return this.clock.now() < (this.lastWrote.get(`${phoneNumberId}/${person}`) ?? -Infinity) + DAY_MS;
  }

  /** In the order of arrival. */
  state(): Static<typeof ConversationsState> {
    return [...this.lastWrote].map(([key, last_wrote_at]) => {
      const [phone_number_id = '', person = ''] = key.split('/');
      return { phone_number_id, person, last_wrote_at };
    });
  }

  restore(state: Static<typeof ConversationsState>): void {
    this.clear();
    for (const { phone_number_id, person, last_wrote_at } of state) this.wrote(phone_number_id, person, last_wrote_at);
  }
}
