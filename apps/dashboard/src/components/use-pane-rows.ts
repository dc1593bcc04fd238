import { elementScroll, measureElement, observeElementOffset, observeElementRect } from '@tanstack/virtual-core';
import { useRef } from 'react';
import { useVirtualizer } from './use-virtualizer';

/**
 * The rows of a long list that are on the screen. A pane scrolls, and each row has its own height. A hidden pane keeps its rows.
 * @param height of most rows
 */
export function usePaneRows(count: number, height: number, getItemKey: (index: number) => number) {
  const pane = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer<HTMLDivElement>({
    count,
    getItemKey,
    estimateSize: () => height,
    initialRect: { width: 0, height: 10 * height },
    getScrollElement: () => pane.current,
    observeElementRect: (instance, report) => observeElementRect(instance, (rect) => rect.height > 0 && report(rect)),
    measureElement: (row, entry, instance) => measureElement(row, entry, instance) || height,
    observeElementOffset,
    scrollToFn: elementScroll,
  });
  return {
    pane,
    rows: virtualizer.getVirtualItems().map(({ index, key, start }) => ({ index, key, top: start })),
    height: virtualizer.getTotalSize(),
    measure: virtualizer.measureElement,
    reveal: (index: number) => virtualizer.scrollToIndex(index, { align: 'auto' }),
  };
}
