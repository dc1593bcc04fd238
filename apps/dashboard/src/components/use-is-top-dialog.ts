import { useEffect, useId, useSyncExternalStore } from 'react';

/** Open dialogs, the top one last. */
let dialogs: readonly string[] = [];
const watchers = new Set<() => void>();

function change(next: readonly string[]): void {
  dialogs = next;
  for (const watch of watchers) watch();
}

const watch = (watcher: () => void) => {
  watchers.add(watcher);
  return () => void watchers.delete(watcher);
};

/** Whether a dialog was opened last of all. Mantine's dialogs each listen to the window, so that Escape would close all of them (decision 779). */
export function useIsTopDialog(opened: boolean): boolean {
  const id = useId();
  useEffect(() => {
    if (!opened) return undefined;
    change([...dialogs, id]);
    // After the key press: React draws between its listeners, so that the same Escape would close the next dialog too.
    return () => void setTimeout(() => change(dialogs.filter((other) => other !== id)));
  }, [opened, id]);
  const isTop = () => dialogs.at(-1) === id;
  return useSyncExternalStore(watch, isTop, isTop);
}
