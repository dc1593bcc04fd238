import { Type, type Static } from '@sinclair/typebox';

const Posted = Type.Object({
  /** The callback's id, which all its attempts share. */
  id: Type.Integer(),
  /** 1 for the first attempt. */
  attempt: Type.Integer(),
  at: Type.String(),
  ms: Type.Number(),
  /** HTTP status; null without a response. */
  status: Type.Union([Type.Integer(), Type.Null()]),
  /** The first 1,000 characters of the response. */
  response: Type.Union([Type.String(), Type.Null()]),
  /** Null for a response with 200. */
  problem: Type.Union([Type.String(), Type.Null()]),
});
const Bytes = Type.Object({ body: Type.String({ description: 'base64' }), signature: Type.Union([Type.String(), Type.Null()]) });

/** One attempt to post a callback. */
type CallbackAttempt = Static<typeof Posted> & { body: string };

/** An attempt with the bytes and the signature that were posted. */
export interface LoggedAttempt extends Static<typeof Posted> {
  bytes: Buffer;
  signature: string | null;
}

export const CallbackLogState = Type.Array(Type.Composite([Posted, Bytes]));

const MAX = 1_000;
const MAX_BYTES = 64 * 1024 * 1024;
const READABLE_CHARACTERS = 10_000;

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

  /** Attempts with bodies as text, oldest first. */
  readable(): CallbackAttempt[] {
    return this.attempts.map(({ bytes, signature: _signature, ...attempt }) => ({
      ...attempt,
      body: bytes.toString('utf8').slice(0, READABLE_CHARACTERS),
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
