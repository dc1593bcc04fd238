type AddTest<F> = (name: string, run: (fixture: F) => Promise<void>) => void;

function addWith<F>(
  add: (name: string, run: () => Promise<void>) => void,
  start: () => Promise<F>,
  stop: (fixture: F) => Promise<unknown>,
): AddTest<F> {
  return (name, run) =>
    add(name, async () => {
      const fixture = await start();
      try {
        await run(fixture);
      } finally {
        await stop(fixture);
      }
    });
}

/**
 * Makes a function that adds tests like `it`. They run side by side, because they mostly wait, and each has a fixture of its own.
 * @param start makes the fixture
 * @param stop ends it
 */
export const sideBySide = <F>(start: () => Promise<F>, stop: (fixture: F) => Promise<unknown>) => addWith(it.concurrent, start, stop);

/** Like `sideBySide`, for tests that replace process-wide things or depend on short timers: no other test of the file runs meanwhile. */
export const oneByOne = <F>(start: () => Promise<F>, stop: (fixture: F) => Promise<unknown>) => addWith(it, start, stop);
