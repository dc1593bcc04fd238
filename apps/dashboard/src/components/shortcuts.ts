import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { pagesOf } from '../navigation';
import { useMe } from '../api/session';
import { areSingleKeysOn } from './single-keys';

/** How long `g` waits for its letter, in milliseconds. */
const CHORD_MS = 1_500;

/**
 * Handles `Ctrl K`, `g` with a letter for each page, and `?`. Open dialogs keep their keys, and fields all but `Ctrl K`. It works as soon as the page is
 * drawn, so that no shortcut reaches the browser; the palette that it opens may still have to load.
 */
export function useShortcuts({ palette, help }: { palette: () => void; help: () => void }): void {
  const navigate = useNavigate();
  const pages = pagesOf(useMe().user.role);
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
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey, target, timeStamp } = event;
      const isText = target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
      if (altKey || document.querySelector('[aria-modal=true]')) return;
      if (ctrlKey || metaKey) {
        if (key.toLowerCase() !== 'k' || shiftKey) return;
        event.preventDefault();
        return latest.current(key, false, true);
      }
      if (isText || !areSingleKeysOn()) return;
      const afterG = timeStamp - gAt < CHORD_MS;
      gAt = key === 'g' && !afterG ? timeStamp : -Infinity;
      latest.current(key, afterG, false);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
