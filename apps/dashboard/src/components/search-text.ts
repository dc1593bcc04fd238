import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/**
 * The text of a search field that stands in the address, so that links, reloads and the way back have it too.
 * @param q what the address says
 * @param tell called when somebody has typed; undefined: nothing is searched for
 */
export function useSearchText(q = '', tell: (q: string | undefined) => void) {
  const [text, setText] = useState(q);
  const [typed] = useDebouncedValue(text.trim(), 300);
  const known = useRef(q);
  useEffect(() => {
    if (typed === known.current) return;
    known.current = typed;
    tell(typed || undefined);
  }, [typed]);
  useEffect(() => {
    // Its own words come back while somebody types on.
    if (q === known.current) return;
    known.current = q;
    setText(q);
  }, [q]);
  return [text, setText] as const;
}
