import { useEffect, useRef, useState } from 'react';

/** Scrolled further, the person reads older rows, in pixels. */
const AWAY_PX = 80;

/** Keeps a list as it is while it is frozen. */
export function useFrozen<T>(now: T, isFrozen: boolean): T {
  const kept = useRef(now);
  if (!isFrozen) kept.current = now;
  return kept.current;
}

/** Whether the page is scrolled away from its beginning. */
export function useIsScrolled(): boolean {
  const [isScrolled, setIsScrolled] = useState(false);
  useEffect(() => {
    const compare = () => setIsScrolled(window.scrollY > AWAY_PX);
    window.addEventListener('scroll', compare, { passive: true });
    return () => window.removeEventListener('scroll', compare);
  }, []);
  return isScrolled;
}
