import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

/**
 * The text of a search field, kept in the address so that links, reloads and Back restore it.
 * @param q the text in the address
 * @param onChange receives the typed text, or undefined if the field is empty
 */
export function useSearchText(q = '', onChange: (q: string | undefined) => void) {
  const [text, setText] = useState(q);
  const [typed] = useDebouncedValue(text.trim(), 300);
  const known = useRef(q);
  useEffect(() => {
    if (typed === known.current) return;
    known.current = typed;
    onChange(typed || undefined);
  }, [typed]);
  useEffect(() => {
    // The address has only what this field wrote, and the person may have typed more since.
    if (q === known.current) return;
    known.current = q;
    setText(q);
  }, [q]);
  return [text, setText] as const;
}
