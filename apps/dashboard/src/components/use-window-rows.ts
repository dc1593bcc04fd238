import { observeWindowOffset, observeWindowRect, Virtualizer, windowScroll } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useRef, useState } from 'react';

/** Rows beyond the screen that are drawn, for a fast scroll. */
const OVERSCAN = 12;

/**
 * The rows of a long list that are on the screen. The page scrolls; only these rows are in it.
 * @param height of every row
 */
export function useWindowRows(count: number, height: number) {
  const list = useRef<HTMLDivElement>(null);
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const options = {
    count,
    overscan: OVERSCAN,
    estimateSize: () => height,
    scrollMargin: list.current ? list.current.getBoundingClientRect().top + window.scrollY : 0,
    getScrollElement: () => window,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    scrollToFn: windowScroll,
    onChange: draw,
  };
  const [virtualizer] = useState(() => new Virtualizer<Window, Element>(options));
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  useLayoutEffect(() => virtualizer.measure(), [height]);
  const rows = virtualizer.getVirtualItems().map(({ index, start }) => ({ index, top: start - options.scrollMargin }));
  return { list, rows, height: virtualizer.getTotalSize() };
}
