import { LRUCache } from 'lru-cache';

interface Held<V> {
  value: V;
  /** Milliseconds since the epoch. */
  freshUntil: number;
}

/** How long a neighbour's answer is believed without asking again. An announcement ends it sooner. */
const FRESH_MS = 5_000;
/** How long an old answer stands in for a neighbour that does not answer. */
const STALE_MS = 60_000;

/**
 * A neighbour's answers, each held for a few seconds, so that the hot path asks nobody and a neighbour may be away for a while.
 * One question is asked once, however many wait for it.
 */
export class HeldAnswers<V> {
  private readonly answers = new LRUCache<string, Held<V>>({ max: 10_000, ttl: STALE_MS });
  private readonly asking = new Map<string, Promise<V>>();

  constructor(private readonly now: () => number = Date.now) {}

  async get(businessId: number, detail: string, ask: () => Promise<V>): Promise<V> {
    const key = `${businessId}/${detail}`;
    const held = this.answers.get(key);
    if (held && this.now() < held.freshUntil) return held.value;
    try {
      return await (this.asking.get(key) ?? this.ask(key, ask));
    } catch (fault) {
      if (held) return held.value;
      throw fault;
    }
  }

  /** Something of this business has changed: the next question goes to the neighbour, also when one is under way now. */
  forget(businessId: number): void {
    const prefix = `${businessId}/`;
    for (const [key, held] of this.answers.entries()) if (key.startsWith(prefix)) held.freshUntil = 0;
    for (const key of this.asking.keys()) if (key.startsWith(prefix)) this.asking.delete(key);
  }

  private ask(key: string, ask: () => Promise<V>): Promise<V> {
    const answer = ask().then((value) => {
      if (this.asking.get(key) === answer) this.answers.set(key, { value, freshUntil: this.now() + FRESH_MS });
      return value;
    });
    this.asking.set(key, answer);
    const clear = () => {
      if (this.asking.get(key) === answer) this.asking.delete(key);
    };
    answer.then(clear, clear);
    return answer;
  }
}
