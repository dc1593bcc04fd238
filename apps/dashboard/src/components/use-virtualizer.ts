import { Virtualizer, type VirtualizerOptions } from '@tanstack/virtual-core';
import { useLayoutEffect, useReducer, useState } from 'react';

/** Rows beyond the screen that are drawn, for a fast scroll. */
const OVERSCAN = 12;

/** Computes which rows of a long list are on the screen, and draws the component again when they change. */
export function useVirtualizer<S extends Element | Window>(
  options: Omit<VirtualizerOptions<S, Element>, 'onChange' | 'overscan'>,
): Virtualizer<S, Element> {
  const [, draw] = useReducer((times: number) => times + 1, 0);
  const all = { ...options, overscan: OVERSCAN, onChange: draw };
  const [virtualizer] = useState(() => new Virtualizer<S, Element>(all));
  virtualizer.setOptions(all);
  useLayoutEffect(() => virtualizer._didMount(), []);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}
