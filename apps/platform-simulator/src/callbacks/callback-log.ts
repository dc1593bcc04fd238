import { Type, type Static } from '@sinclair/typebox';

const Posted = Type.Object({
  /** Of the webhook: its attempts share it. */
  id: Type.Integer(),
  /** 1: the first. */
  attempt: Type.Integer(),
  at: Type.String(),
  ms: Type.Number(),
  /** HTTP status; null when no answer came. */
  status: Type.Union([Type.Integer(), Type.Null()]),
  /** Of the answer, its first 1,000 characters. */
  response: Type.Union([Type.String(), Type.Null()]),
  /** Null: it was answered with 200. */
  problem: Type.Union([Type.String(), Type.Null()]),
});
const Bytes = Type.Object({ body: Type.String({ description: 'base64' }), signature: Type.Union([Type.String(), Type.Null()]) });

/** One attempt to post a webhook. */
export type CallbackAttempt = Static<typeof Posted> & { body: string };

/** An attempt with the very bytes and the signature that went out. */
export interface LoggedAttempt extends Static<typeof Posted> {
  bytes: Buffer;
  signature: string | null;
}

export const CallbackLogState = Type.Array(Type.Composite([Posted, Bytes]));

const MAX = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
const SHOWN = 10_000;

/** The newest attempts: a thousand, or as many as 64 MB hold. */
export class CallbackLog {
  private attempts: LoggedAttempt[] = [];
  private size = 0;

  add(attempt: LoggedAttempt): void {
    this.attempts.push(attempt);
    this.size += attempt.bytes.length;
    while (this.attempts.length > MAX || (this.size > MAX_BYTES && this.attempts.length > 1))
      this.size -= (this.attempts.shift() as LoggedAttempt).bytes.length;
  }

  /** Oldest first. */
  all(): readonly LoggedAttempt[] {
    return this.attempts;
  }

  /** As people read them, oldest first. */
  shown(): CallbackAttempt[] {
    return this.attempts.map(({ bytes, signature: _signature, ...attempt }) => ({
      ...attempt,
      body: bytes.toString('utf8').slice(0, SHOWN),
    }));
  }

  clear(): void {
    this.attempts = [];
    this.size = 0;
  }

  state(): Static<typeof CallbackLogState> {
    return this.attempts.map(({ bytes, ...attempt }) => ({ ...attempt, body: bytes.toString('base64') }));
  }

  restore(state: Static<typeof CallbackLogState>): void {
    this.clear();
    for (const { body, ...attempt } of state) this.add({ ...attempt, bytes: Buffer.from(body, 'base64') });
  }
}
