import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';

/** Within this distance from the end, in pixels, the log follows new lines. */
const NEAR = 80;

/**
 * Keeps a log scrolled to its end while the person is there, and in place when older lines are added on top.
 * @param lines the ids of the lines
 * @param received distinguishes the newest received line, which may stand above lines that are not received
 * @param seenBefore the newest received line that was in view before the log appeared
 * @param own the ids of the person's own lines; each comes into view when it appears
 * @param isFinding whether the log is about to scroll elsewhere, so that its end is not in view yet
 * @returns `isBehind` while the newest received line has not been in view
 */
export function useLogScroll(
  log: RefObject<HTMLElement | null>,
  lines: string[],
  received: string | null | undefined,
  seenBefore: string | null | undefined,
  own: string[],
  isFinding: boolean,
) {
  const [first, last] = [lines[0], lines.at(-1)];
  const before = useRef<{ first?: string | undefined; height: number }>({ height: 0 });
  /** Those of `own` that have come into view. */
  const shownOwn = useRef(new Set<string>());
  const [seen, setSeen] = useState(seenBefore);
  const look = () => {
    const box = log.current;
    if (box && !isFinding && box.scrollHeight - box.scrollTop - box.clientHeight < NEAR) setSeen(received);
  };
  useLayoutEffect(() => {
    const box = log.current;
    if (!box) return;
    const { scrollHeight, scrollTop, clientHeight } = box;
    const { height, first: firstBefore } = before.current;
    const ownNew = own.filter((id) => lines.includes(id) && !shownOwn.current.has(id));
    for (const id of ownNew) shownOwn.current.add(id);
    if (ownNew.length > 0 || height - scrollTop - clientHeight < NEAR) box.scrollTop = scrollHeight;
    else if (firstBefore !== undefined && lines.indexOf(firstBefore) > 0) box.scrollTop += scrollHeight - height;
    before.current = { first, height: scrollHeight };
  }, [first, last, lines.length, own.at(-1)]);
  useLayoutEffect(look, [received, last, isFinding]);
  useEffect(() => {
    const box = log.current;
    box?.addEventListener('scroll', look);
    return () => box?.removeEventListener('scroll', look);
  }, [received, isFinding]);
  const showEnd = () => {
    const box = log.current;
    if (!box) return;
    box.scrollTop = box.scrollHeight;
    // The button that shows the end disappears with its focus.
    box.focus();
    look();
  };
  return { isBehind: seen !== received, showEnd };
}
