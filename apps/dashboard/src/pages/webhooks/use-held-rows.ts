import { useEffect, useState } from 'react';

interface HeldRows<R> {
  shown: R[];
  /** How many newer rows wait. */
  waiting: number;
  showAll: () => void;
}

/**
 * Keeps the rows in their places: newer ones wait until the person asks for them.
 * @param rows the newest first
 * @param key of the filter; the rows of another filter are shown at once
 * @param isLoaded whether the rows are those of the filter, read since the list was opened
 */
export function useHeldRows<R extends { id: number }>(rows: R[], key: string, isLoaded: boolean): HeldRows<R> {
  const [held, setHeld] = useState({ key, newest: 0 });
  const newest = rows[0]?.id ?? 0;
  const isHeld = held.key === key && held.newest > 0;
  useEffect(() => {
    if (isLoaded && !isHeld && newest > 0) setHeld({ key, newest });
  }, [isLoaded, isHeld, key, newest]);
  const shown = isHeld ? rows.filter(({ id }) => id <= held.newest) : rows;
  return { shown, waiting: rows.length - shown.length, showAll: () => setHeld({ key, newest }) };
}
