import { AsyncResource } from 'node:async_hooks';
import { LRUCache } from 'lru-cache';

export interface HeldAnswersOptions<Q, A, C> {
  /** One answer for each question, in their order. @param context of the caller who waits; absent when nobody does */
  ask(questions: Q[], context?: C): Promise<A[]>;
  /** Whether an answer is worth holding; absent: every one is. */
  isHeld?(answer: A): boolean;
  /** For a minute an old answer stands in for one that cannot be had. */
  standsIn?: boolean;
}

interface Held<Q, A> {
  question: Q;
  answer: A;
  /** By `performance.now()`, which no change of the clock moves; as the next. */
  freshUntil: number;
  /** Until then it stands in for an answer that cannot be had. */
  usableUntil: number;
}

/** How long an answer is believed without asking again. An announcement ends it sooner. */
const FRESH_MS = 5_000;
const STAND_IN_MS = 60_000;
/** How long it does so before it is asked for again, in milliseconds: not everybody waits for who does not answer. */
const ASK_AGAIN_MS = 1_000;
/** An answer that is used when it has less time left than this is asked for again, before anybody has to wait for it. */
const CONFIRM_AHEAD_MS = 2_500;
/** How long such answers wait to be asked for together, in milliseconds. */
const CONFIRM_AFTER_MS = 1_000;
/** In one question: answers of a few kilobytes each must fit into a message. */
const CONFIRMED_TOGETHER = 100;
const MOST = 10_000;

/**
 * Answers of a neighbour or a database, each held for five seconds, so that the hot path asks nobody. One question is asked
 * once, however many wait for it; and what is in constant use is confirmed together: a thousand businesses that all send cost
 * ten questions in five seconds instead of a thousand.
 */
export class HeldAnswers<Q, A, C = undefined> {
  private readonly held = new LRUCache<string, Held<Q, A>>({ max: MOST });
  private readonly asking = new Map<string, Promise<A>>();
  private unconfirmed = new Map<string, Held<Q, A>>();
  /** Outside of the trace of whoever happens to be the first to use what is confirmed. */
  private readonly outside = new AsyncResource('HeldAnswers');

  constructor(private readonly options: HeldAnswersOptions<Q, A, C>) {}

  /** @param key of questions that are the same @param question made only when it is asked, and kept with its answer */
  async get(key: string, question: () => Q, context?: C): Promise<A> {
    const held = this.held.get(key);
    const left = held === undefined ? 0 : held.freshUntil - performance.now();
    if (held && left > 0) {
      if (left < CONFIRM_AHEAD_MS) this.confirmSoon(key, held);
      return held.answer;
    }
    try {
      return await (this.asking.get(key) ?? this.ask(key, question(), context));
    } catch (fault) {
      // It may have been replaced meanwhile.
      const standIn = this.held.peek(key);
      const now = performance.now();
      if (standIn === undefined || now >= standIn.usableUntil) throw fault;
      standIn.freshUntil = Math.max(standIn.freshUntil, now + ASK_AGAIN_MS);
      return standIn.answer;
    }
  }

  /** These have changed: the next question is asked again, also when it is under way now. */
  forget(isMeant: (key: string, answer: A) => boolean): void {
    for (const [key, held] of this.held.entries()) {
      if (isMeant(key, held.answer)) held.freshUntil = 0;
    }
    this.asking.clear();
  }

  private ask(key: string, question: Q, context?: C): Promise<A> {
    const askedAt = performance.now();
    const answer = this.options.ask([question], context).then(([answered]) => {
      if (this.asking.get(key) === answer) this.hold(key, question, answered as A, askedAt);
      return answered as A;
    });
    this.asking.set(key, answer);
    const clear = () => {
      if (this.asking.get(key) === answer) this.asking.delete(key);
    };
    answer.then(clear, clear);
    return answer;
  }

  private hold(key: string, question: Q, answer: A, askedAt: number): void {
    const { isHeld, standsIn } = this.options;
    if (isHeld && !isHeld(answer)) this.held.delete(key);
    else this.held.set(key, { question, answer, freshUntil: askedAt + FRESH_MS, usableUntil: askedAt + (standsIn ? STAND_IN_MS : 0) });
  }

  private confirmSoon(key: string, held: Held<Q, A>): void {
    if (this.unconfirmed.size === 0) this.outside.runInAsyncScope(() => setTimeout(() => void this.confirm(), CONFIRM_AFTER_MS).unref());
    this.unconfirmed.set(key, held);
  }

  private async confirm(): Promise<void> {
    const entries = [...this.unconfirmed];
    this.unconfirmed = new Map();
    for (let from = 0; from < entries.length; from += CONFIRMED_TOGETHER) {
      const together = entries.slice(from, from + CONFIRMED_TOGETHER);
      const askedAt = performance.now();
      // Without an answer each is asked for when it is next needed, by someone who can be told what is wrong.
      const answers = await this.options.ask(together.map(([, { question }]) => question)).catch(() => []);
      together.forEach(([key, held], i) => {
        // Or forgotten meanwhile, or asked for again.
        const isCurrent = this.held.peek(key) === held && held.freshUntil > 0;
        if (i in answers && isCurrent) this.hold(key, held.question, answers[i] as A, askedAt);
      });
    }
  }
}
