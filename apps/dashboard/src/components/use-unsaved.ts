import { useContext, useEffect, useRef } from 'react';
import { UnsavedForms } from './unsaved-forms';

/** Makes the surrounding dialog confirm before it discards input (decision 630). @param isUnsaved whether something was */
export function useUnsaved(isUnsaved: () => boolean): void {
  const checks = useContext(UnsavedForms)?.checks;
  const latest = useRef(isUnsaved);
  latest.current = isUnsaved;
  useEffect(() => {
    const check = () => latest.current();
    checks?.add(check);
    return () => void checks?.delete(check);
  }, [checks]);
}
