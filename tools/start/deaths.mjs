// How often a process may die before its supervisor gives up, and how long to wait before each new start.

/** Waits before the second start and those after it, in milliseconds; the last one repeats. */
const BACKOFF_MS = [50, 500, 1_000, 2_000, 4_000];

export class Deaths {
  #at = [];

  constructor({ limit, windowMs }) {
    Object.assign(this, { limit, windowMs });
  }

  /** Counts a death. @returns milliseconds to wait before the next start; null when it dies too often to go on */
  next(now = Date.now()) {
    this.#at = [...this.#at.filter((at) => now - at < this.windowMs), now];
    return this.#at.length >= this.limit ? null : (BACKOFF_MS[this.#at.length - 1] ?? BACKOFF_MS.at(-1));
  }
}
