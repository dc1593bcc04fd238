import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../clock';

const DAY_MS = 86_400_000;
/** Messages are free so long after the first reply to a click on an ad. */
const FREE_MS = 3 * DAY_MS;
const MAX = 100_000;

export const ConversationsState = Type.Array(
  Type.Object({
    phone_number_id: Type.String(),
    person: Type.String(),
    /** Milliseconds since 1970. */
    last_wrote_at: Type.Number(),
    clicked_at: Type.Optional(Type.Number()),
    free_until: Type.Optional(Type.Number()),
  }),
  { maxItems: MAX },
);

/** The time of each person's last message to each number. The window is open for a day after it. */
export class Conversations {
  private readonly lastWrote = new Map<string, number>();
  private readonly clicks = new Map<string, { clicked_at: number; free_until?: number }>();

  constructor(private readonly clock: Clock) {}

  /** A message with an earlier time does not shorten the window (platform §0.9). */
  wrote(phoneNumberId: string, person: string, at: number): void {
    const key = `${phoneNumberId}/${person}`;
    const last = this.lastWrote.get(key) ?? -Infinity;
    this.lastWrote.delete(key);
    this.lastWrote.set(key, Math.max(last, at));
    if (this.lastWrote.size <= MAX) return;
    const oldest = this.lastWrote.keys().next().value as string;
    this.lastWrote.delete(oldest);
    this.clicks.delete(oldest);
  }

  /** The person came from an ad: a reply within a day makes messages free. */
  clicked(phoneNumberId: string, person: string, at: number): void {
    this.clicks.set(`${phoneNumberId}/${person}`, { clicked_at: at });
  }

  /** Call it for each message of the business. */
  isFree(phoneNumberId: string, person: string): boolean {
    const click = this.clicks.get(`${phoneNumberId}/${person}`);
    const now = this.clock.now();
    if (!click) return false;
    if (click.free_until === undefined && now < click.clicked_at + DAY_MS) click.free_until = now + FREE_MS;
    return now < (click.free_until ?? -Infinity);
  }

  clear(): void {
    this.lastWrote.clear();
    this.clicks.clear();
  }

  isOpen(phoneNumberId: string, person: string): boolean {
    return this.clock.now() < (this.lastWrote.get(`${phoneNumberId}/${person}`) ?? -Infinity) + DAY_MS;
  }

  /** In the order of arrival. */
  state(): Static<typeof ConversationsState> {
    return [...this.lastWrote].map(([key, last_wrote_at]) => {
      const [phone_number_id = '', person = ''] = key.split('/');
      return { phone_number_id, person, last_wrote_at, ...this.clicks.get(key) };
    });
  }

  restore(state: Static<typeof ConversationsState>): void {
    this.clear();
    for (const { phone_number_id, person, last_wrote_at, clicked_at, free_until } of state) {
      this.wrote(phone_number_id, person, last_wrote_at);
      if (clicked_at === undefined) continue;
      this.clicks.set(`${phone_number_id}/${person}`, { clicked_at, ...(free_until !== undefined && { free_until }) });
    }
  }
}
