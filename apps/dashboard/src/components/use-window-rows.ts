import { observeWindowOffset, observeWindowRect, windowScroll } from '@tanstack/virtual-core';
import { useLayoutEffect, useRef } from 'react';
import { useVirtualizer } from './use-virtualizer';

/**
 * The rows of a long list that are on the screen. The page scrolls; only these rows are in it.
 * @param height of every row
 */
export function useWindowRows(count: number, height: number) {
  const list = useRef<HTMLDivElement>(null);
  const scrollMargin = list.current ? list.current.getBoundingClientRect().top + window.scrollY : 0;
  const virtualizer = useVirtualizer<Window>({
    count,
    estimateSize: () => height,
    scrollMargin,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
  });
  useLayoutEffect(() => virtualizer.measure(), [height]);
  const rows = virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start - scrollMargin }));
  return { list, rows, height: virtualizer.getTotalSize() };
}
