// Limits how often a process may die before its supervisor gives up, and spaces the restarts.

/** Pauses before the second start and later ones, in milliseconds; the last one repeats. */
const BACKOFF_MS = [50, 500, 1_000, 2_000, 4_000];

export class Deaths {
  #at = [];

  constructor({ limit, windowMs }) {
    Object.assign(this, { limit, windowMs });
  }

  /** Counts a death. @returns milliseconds before the next start; null if the process dies too often */
  next(now = Date.now()) {
    this.#at = [...this.#at.filter((at) => now - at < this.windowMs), now];
    return this.#at.length >= this.limit ? null : (BACKOFF_MS[this.#at.length - 1] ?? BACKOFF_MS.at(-1));
  }
}
