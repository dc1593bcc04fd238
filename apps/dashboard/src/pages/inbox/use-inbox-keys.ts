import { useEffect, useRef } from 'react';
import { areSingleKeysOn } from '../../components/single-keys';

/** How long the `g` of a shortcut for pages waits for its letter, in milliseconds (shortcuts.ts). */
const CHORD_MS = 1_500;

/** Handles single keys of the inbox. Fields, open dialogs and menus, and the shortcuts for pages keep theirs. */
export function useInboxKeys(actions: Record<string, () => void>): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    let gAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
      const isText = target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
      if (ctrlKey || metaKey || altKey || isText || document.querySelector('[aria-modal=true], [role=menu]')) return;
      if (!areSingleKeysOn()) return;
      const afterG = timeStamp - gAt < CHORD_MS;
      gAt = key === 'g' && !afterG ? timeStamp : -Infinity;
      const action = afterG ? undefined : latest.current[key];
      if (!action) return;
      // The key must not be typed into the field that the action focuses.
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
