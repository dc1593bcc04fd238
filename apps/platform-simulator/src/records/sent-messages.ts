import { Type, type Static } from '@sinclair/typebox';

const Sent = Type.Object({ id: Type.String(), recipient: Type.String() });
type SentMessage = Static<typeof Sent>;
export const SentMessagesState = Type.Record(Type.String(), Type.Array(Sent));

const MAX = 1_000;

/** The newest messages of each number, for statuses on demand. */
export class SentMessages {
  private messages = new Map<string, SentMessage[]>();

  add(phoneNumberId: string, message: SentMessage): void {
    const sent = this.messages.get(phoneNumberId) ?? [];
    sent.push(message);
    if (sent.length > MAX) sent.shift();
    this.messages.set(phoneNumberId, sent);
  }

  /** Oldest first. */
  byNumber(phoneNumberId: string): readonly SentMessage[] {
    return this.messages.get(phoneNumberId) ?? [];
  }

  clear(): void {
    this.messages.clear();
  }

  state(): Static<typeof SentMessagesState> {
    return Object.fromEntries(this.messages);
  }

  restore(state: Static<typeof SentMessagesState>): void {
    this.messages = new Map(Object.entries(state));
  }
}
