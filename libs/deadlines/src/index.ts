/**
 * Calls `passed` after this time, unless it is cancelled. Bytes that have arrived are read first and may still cancel it: a process that stood
 * still reads late what arrived in time.
 * @param withinMs milliseconds from now
 * @returns a function that cancels the call
 */
export function onDeadline(withinMs: number, passed: () => void): () => void {
  let cancelJudging = (): void => undefined;
  const timer = setTimeout(() => (cancelJudging = afterReading(passed)), withinMs);
  return () => {
    clearTimeout(timer);
    cancelJudging();
  };
}

/** Calls `judge` once the bytes that wait have been read. @returns a function that cancels the call */
export function afterReading(judge: () => void): () => void {
  // Node.js runs timers, then reads from sockets, then runs immediates.
  const judging = setImmediate(judge);
  return () => clearImmediate(judging);
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
