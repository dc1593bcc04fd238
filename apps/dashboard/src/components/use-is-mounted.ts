import { useEffect, useRef, type RefObject } from 'react';

/** Lets the handler of a late response check whether its component is still mounted. */
export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => void (isMounted.current = false);
  }, []);
  return isMounted;
}
