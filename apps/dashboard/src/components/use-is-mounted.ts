import { useEffect, useRef, type RefObject } from 'react';

/** Says to a response that arrives late whether its component is still there. */
export function useIsMounted(): RefObject<boolean> {
  const isMounted = useRef(false);
  useEffect(() => {
    isMounted.current = true;
    return () => void (isMounted.current = false);
  }, []);
  return isMounted;
}
