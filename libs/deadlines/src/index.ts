/**
 * Calls `passed` after this time, unless it is cancelled. Bytes that have arrived are read first and may still cancel it: a process that was
 * paused reads late what arrived in time.
 * @param withinMs milliseconds from now
 * @returns a function that cancels the call
 */
export function onDeadline(withinMs: number, passed: () => void): () => void {
  let cancelCall = (): void => undefined;
  const timer = setTimeout(() => (cancelCall = afterReading(passed)), withinMs);
  return () => {
    clearTimeout(timer);
    cancelCall();
  };
}

/** Calls `work` once the bytes that wait have been read. @returns a function that cancels the call */
export function afterReading(work: () => void): () => void {
  // Node.js runs timers, then reads from sockets, then runs immediates.
  const immediate = setImmediate(work);
  return () => clearImmediate(immediate);
}

/**
 * Aborts after this time, or when one of the signals does. The listener keeps the timeout: Node.js 20 collects one that only
 * `AbortSignal.any` uses, and then nothing aborts (decision 708).
 */
export function abortAfter(withinMs: number, ...signals: AbortSignal[]): AbortSignal {
  const timeout = AbortSignal.timeout(withinMs);
  timeout.addEventListener('abort', () => undefined);
  return AbortSignal.any([timeout, ...signals]);
}

/** @throws Error with `problem` if the response takes longer than `withinMs` milliseconds */
export function respondedWithin<T>(withinMs: number, response: Promise<T>, problem: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = onDeadline(withinMs, () => reject(problem()));
    void response.then(resolve, reject).finally(cancel);
  });
}

export class DeadlineExceeded extends Error {
  override readonly name = 'DeadlineExceeded';
}

/** Rejects with DeadlineExceeded if the work takes longer. The work continues: the caller must prevent its effects. */
export function within<T>(ms: number, work: () => Promise<T>): Promise<T> {
  return respondedWithin(ms, work(), () => new DeadlineExceeded(`took longer than ${ms} ms`));
}
