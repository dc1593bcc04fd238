import { Type, type Static } from '@sinclair/typebox';

const Sent = Type.Object({ id: Type.String(), recipient: Type.String() });
export type SentMessage = Static<typeof Sent>;
export const SentMessagesState = Type.Record(Type.String(), Type.Array(Sent));

const MAX = 1_000;

/** The newest messages that each number sent, for statuses that are made on demand. */
export class SentMessages {
  private byNumber = new Map<string, SentMessage[]>();

  add(phoneNumberId: string, message: SentMessage): void {
    const sent = this.byNumber.get(phoneNumberId) ?? [];
    sent.push(message);
    if (sent.length > MAX) sent.shift();
    this.byNumber.set(phoneNumberId, sent);
  }

  /** Oldest first. */
  of(phoneNumberId: string): readonly SentMessage[] {
    return this.byNumber.get(phoneNumberId) ?? [];
  }

  clear(): void {
    this.byNumber.clear();
  }

  state(): Static<typeof SentMessagesState> {
    return Object.fromEntries(this.byNumber);
  }

  restore(state: Static<typeof SentMessagesState>): void {
    this.byNumber = new Map(Object.entries(state));
  }
}
