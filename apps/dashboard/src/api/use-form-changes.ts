import { useState } from 'react';
import { useKeptState } from './use-kept-state';

/** The fields of `after` that differ from `before`. */
export function changed<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(after).filter(([name, value]) => !same(value, before[name as keyof T]));
  return Object.fromEntries(entries) as Partial<T>;
}

/**
 * A form over saved values. It sends only the fields that the person changed, so that it never overwrites concurrent changes of others.
 * @param isSaving whether a request runs that changes the saved values
 */
export function useFormChanges<T extends object>(saved: T, isSaving = false) {
  const [made, setMade] = useState<Partial<T>>({});
  return formOver(saved, isSaving, made, setMade);
}

/** Like useFormChanges, for a form on a page: a navigation keeps its changes (decision 756). @param name unique in the dashboard */
export function useKeptFormChanges<T extends object>(name: string, saved: T, isSaving: boolean) {
  const [made, , , change] = useKeptState<Partial<T>>(name, {});
  return formOver(saved, isSaving, made, change);
}

function formOver<T extends object>(
  saved: T,
  isSaving: boolean,
  made: Partial<T>,
  setMade: (next: (now: Partial<T>) => Partial<T>) => void,
) {
  const draft = { ...saved, ...made };
  return {
    draft,
    set: (more: Partial<T>) =>
      setMade((before) => {
        const all = { ...before, ...more };
        // A field with its saved value again is unchanged. While a request may change that value, restoring it is a change.
        return isSaving ? all : changed<Partial<T>>(saved, all);
      }),
    changes: changed(saved, draft),
    discard: () => setMade(() => ({})),
    /** Drops the saved changes and keeps later ones, which a person made while the request ran. */
    done: (sent: Partial<T>) =>
      setMade(
        (now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(value, sent[name as keyof T]))) as Partial<T>,
      ),
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
