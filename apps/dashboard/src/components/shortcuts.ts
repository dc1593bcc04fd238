import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { pagesOf } from '../navigation';
import { useMe } from '../api/session';

/** How long a `g` waits for its letter, in milliseconds. */
const CHORD_MS = 1_500;

/**
 * Hears `Ctrl K`, a `g` and a letter for each page, and `?`: not in a field, where they mean text, and not while a dialog is open. What
 * is drawn is heard, so that a key pressed at once is not the browser's own; what it opens may still have to be loaded.
 */
export function useShortcuts({ palette, help }: { palette: () => void; help: () => void }): void {
  const navigate = useNavigate();
  const pages = pagesOf(useMe());
  const on = (key: string, afterG: boolean, withCtrl: boolean) => {
    if (withCtrl) return palette();
    const page = afterG && pages.find((one) => one.key === key);
    if (page) void navigate({ to: page.to });
    else if (key === '?') help();
  };
  const latest = useRef(on);
  latest.current = on;
  useLayoutEffect(() => {
    let gAt = -Infinity;
    const hear = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target, timeStamp } = event;
      const isText = target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
      if (altKey || isText || document.querySelector('[aria-modal=true]')) return;
      if (ctrlKey || metaKey) {
        if (key.toLowerCase() !== 'k' || shiftKey) return;
        event.preventDefault();
        return latest.current(key, false, true);
      }
      const afterG = timeStamp - gAt < CHORD_MS;
      gAt = key === 'g' && !afterG ? timeStamp : -Infinity;
      latest.current(key, afterG, false);
    };
    document.addEventListener('keydown', hear);
    return () => document.removeEventListener('keydown', hear);
  }, []);
}
