import { useLayoutEffect, useRef } from 'react';

/** How long `g` waits for its letter, in milliseconds. */
const CHORD_MS = 1_500;

/** The key in localStorage: `off` switches shortcuts without Ctrl off. */
const STORED = 'single-keys';

/**
 * Whether keys without Ctrl are shortcuts in this browser; by default they are. A person who dictates, or presses keys by accident, can
 * switch them off (WCAG 2.1.4, decision 778).
 */
export const areSingleKeysOn = (): boolean => localStorage.getItem(STORED) !== 'off';

export const switchSingleKeys = (isOn: boolean): void => localStorage.setItem(STORED, isOn ? 'on' : 'off');

/**
 * Handles keys that are shortcuts without Ctrl. Fields, and open dialogs and menus, keep theirs. It works as soon as the page is drawn, so that no
 * shortcut reaches the browser.
 * @param on gets the key, and whether it follows a `g`
 */
export function useSingleKeys(on: (key: string, afterG: boolean, event: KeyboardEvent) => void): void {
  const latest = useRef(on);
  latest.current = on;
  useLayoutEffect(() => {
    let gAt = -Infinity;
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
      const isText = target instanceof HTMLElement && (target.isContentEditable || target.matches('input, textarea, select'));
      if (ctrlKey || metaKey || altKey || isText || document.querySelector('[aria-modal=true], [role=menu]')) return;
      if (!areSingleKeysOn()) return;
      const afterG = timeStamp - gAt < CHORD_MS;
      gAt = key === 'g' && !afterG ? timeStamp : -Infinity;
      latest.current(key, afterG, event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
