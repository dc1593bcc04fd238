import { useNavigate } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import { pagesOf } from '../navigation';
import { useMe } from '../api/session';
import { useSingleKeys } from './single-keys';

/** Handles `Ctrl K`, also in fields, `g` with a letter for each page, and `?`. The palette that it opens may still have to load. */
export function useShortcuts({ palette, help }: { palette: () => void; help: () => void }): void {
  const navigate = useNavigate();
  const pages = pagesOf(useMe().user.role);
  useSingleKeys((key, afterG) => {
    const page = afterG && pages.find((one) => one.key === key);
    if (page) void navigate({ to: page.to });
    else if (key === '?') help();
  });
  const latest = useRef(palette);
  latest.current = palette;
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
      if (key.toLowerCase() !== 'k' || !(ctrlKey || metaKey) || altKey || shiftKey) return;
      if (document.querySelector('[aria-modal=true]')) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
