import { useLayoutEffect, useRef } from 'react';

/** How near to the end somebody is who reads along, in pixels. */
const NEAR = 80;

/** Keeps a log at its end while somebody reads there, and in its place when older lines come on top. */
export function useLogScroll(newest: string | undefined, count: number) {
  const log = useRef<HTMLDivElement>(null);
  const before = useRef<{ newest: string | undefined; height: number }>({ newest: undefined, height: 0 });
  useLayoutEffect(() => {
    const box = log.current;
    if (!box) return;
    const { scrollHeight, scrollTop, clientHeight } = box;
    const { height } = before.current;
    if (newest === before.current.newest) box.scrollTop += scrollHeight - height;
    else if (height - scrollTop - clientHeight < NEAR) box.scrollTop = scrollHeight;
    before.current = { newest, height: scrollHeight };
  }, [newest, count]);
  return log;
}
