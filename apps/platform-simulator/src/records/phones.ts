import { Type, type Static } from '@sinclair/typebox';

/** The customer's message that a tap on a button sends. */
export const Reply = Type.Object({ label: Type.String(), type: Type.String(), content: Type.Record(Type.String(), Type.Unknown()) });
export type Reply = Static<typeof Reply>;

const Bubble = Type.Object({
  id: Type.String(),
  /** From the customer's side: the business sent `in`. */
  direction: Type.Union([Type.Literal('in'), Type.Literal('out')]),
  type: Type.String(),
  text: Type.String(),
  buttons: Type.Array(Reply),
  /** A file that the simulator holds. */
  media_id: Type.Optional(Type.String()),
  at: Type.String(),
  status: Type.String(),
});
/** A message as a phone shows it. */
export type Bubble = Static<typeof Bubble>;

const MAX_THREADS = 1_000;
const MAX_BUBBLES = 100;

export const PhonesState = Type.Array(
  Type.Object({ phone_number_id: Type.String(), person: Type.String(), messages: Type.Array(Bubble, { maxItems: MAX_BUBBLES }) }),
  { maxItems: MAX_THREADS },
);

/** The customers' phones: the newest hundred messages of the newest thousand conversations. */
export class Phones {
  private readonly threads = new Map<string, Bubble[]>();

  add(phoneNumberId: string, person: string, bubble: Bubble): void {
    const key = `${phoneNumberId}/${person}`;
    const thread = this.threads.get(key) ?? [];
    this.threads.delete(key);
    thread.push(bubble);
    if (thread.length > MAX_BUBBLES) thread.shift();
    this.threads.set(key, thread);
    if (this.threads.size > MAX_THREADS) this.threads.delete(this.threads.keys().next().value as string);
  }

  mark(phoneNumberId: string, person: string, id: string, status: string): void {
    const bubble = this.threads.get(`${phoneNumberId}/${person}`)?.find((one) => one.id === id);
    if (bubble) bubble.status = status;
  }

  thread(phoneNumberId: string, person: string): Bubble[] {
    return this.threads.get(`${phoneNumberId}/${person}`) ?? [];
  }

  /** People with a conversation, the newest first. */
  people(phoneNumberId: string): string[] {
    return this.state()
      .filter((thread) => thread.phone_number_id === phoneNumberId)
      .map(({ person }) => person)
      .reverse();
  }

  clear(): void {
    this.threads.clear();
  }

  state(): Static<typeof PhonesState> {
    return [...this.threads].map(([key, messages]) => {
      const [phone_number_id = '', person = ''] = key.split(/\/(.*)/s);
      return { phone_number_id, person, messages };
    });
  }

  restore(state: Static<typeof PhonesState>): void {
    this.clear();
    for (const { phone_number_id, person, messages } of state) this.threads.set(`${phone_number_id}/${person}`, messages);
  }
}
