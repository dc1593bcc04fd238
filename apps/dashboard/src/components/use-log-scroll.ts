import { useEffect, useLayoutEffect, useRef, useState } from 'react';

/** Within this distance from the end, in pixels, the log follows new lines. */
const NEAR = 80;

/**
 * Keeps a log scrolled to its end while the person is there, and in place when older lines are added on top.
 * @param isOwn whether the newest line is the person's own, which always comes into view
 * @returns `isBehind` while the newest line has not been in view
 */
export function useLogScroll(newest: string | undefined, count: number, isOwn = false) {
  const log = useRef<HTMLDivElement>(null);
  const before = useRef<{ newest: string | undefined; height: number }>({ newest: undefined, height: 0 });
  const [seen, setSeen] = useState<string>();
  const look = () => {
    const box = log.current;
    if (box && box.scrollHeight - box.scrollTop - box.clientHeight < NEAR) setSeen(newest);
  };
  useLayoutEffect(() => {
    const box = log.current;
    if (!box) return;
    const { scrollHeight, scrollTop, clientHeight } = box;
    const { height } = before.current;
    if (newest === before.current.newest) box.scrollTop += scrollHeight - height;
    else if (isOwn || height - scrollTop - clientHeight < NEAR) box.scrollTop = scrollHeight;
    before.current = { newest, height: scrollHeight };
    look();
  }, [newest, count]);
  useEffect(() => {
    const box = log.current;
    box?.addEventListener('scroll', look);
    return () => box?.removeEventListener('scroll', look);
  }, [newest]);
  const showEnd = () => {
    const box = log.current;
    if (!box) return;
    box.scrollTop = box.scrollHeight;
    // The button that shows the end disappears with its focus.
    box.focus();
    look();
  };
  return { log, isBehind: seen !== newest, showEnd };
}
