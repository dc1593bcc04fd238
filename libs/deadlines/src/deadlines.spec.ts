import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { abortAfter, onDeadline, respondedWithin } from '.';

const keepBusy = (ms: number) => {
  for (const end = performance.now() + ms; performance.now() < end;);
};

describe('deadlines (decision 695)', () => {
  it('pass once, and not after they were cancelled', async () => {
    const passed: string[] = [];
    onDeadline(1, () => passed.push('kept'));
    const cancel = onDeadline(1, () => passed.push('cancelled'));
    cancel();
    while (passed.length === 0) await pause(1);
    cancel();
    await pause(5);
    expect(passed).toEqual(['kept']);
  });

  it('can be cancelled between the end of their time and the call', async () => {
    const passed: string[] = [];
    const cancel = onDeadline(1, () => passed.push('called'));
    // Its timer runs right after that of the deadline.
    setTimeout(cancel, 1);
    keepBusy(5);
    await pause(5);
    expect(passed).toEqual([]);
  });

  it('decision 708: abort together with other signals, even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const other = new AbortController();
    let aborted = false;
    abortAfter(50, other.signal).addEventListener('abort', () => (aborted = true));
    while (!aborted) {
      await pause(5);
      collect();
    }
    other.abort();
    expect(abortAfter(60_000, other.signal).aborted).toBe(true);
  });

  it('pass on a response or its error, and fail with their own error', async () => {
    const late = () => new Error('late');
    expect(await respondedWithin(60_000, Promise.resolve('response'), late)).toBe('response');
    await expect(respondedWithin(60_000, Promise.reject(new Error('refused')), late)).rejects.toThrow('refused');
    await expect(respondedWithin(1, new Promise(() => undefined), late)).rejects.toThrow('late');
  });
});
