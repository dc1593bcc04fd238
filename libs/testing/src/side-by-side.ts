/**
 * Makes a function that adds tests like `it`. They run side by side, because they mostly wait, and each has a fixture of its own.
 * @param start makes the fixture
 * @param stop ends it
 */
export function sideBySide<F>(start: () => Promise<F>, stop: (fixture: F) => Promise<unknown>) {
  return (name: string, run: (fixture: F) => Promise<void>): void => {
    it.concurrent(name, async () => {
      const fixture = await start();
      try {
        await run(fixture);
      } finally {
        await stop(fixture);
      }
    });
  };
}
