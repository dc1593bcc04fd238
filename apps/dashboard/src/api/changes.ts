import { useState } from 'react';

/** The fields of `after` that differ from `before`. */
export function changed<T extends object>(before: T, after: T): Partial<T> {
  const entries = Object.entries(after).filter(([name, value]) => !same(value, before[name as keyof T]));
  return Object.fromEntries(entries) as Partial<T>;
}

/** A form over what is saved. Only what a person changed is sent, so that what others change meanwhile stays theirs. */
export function useChanges<T extends object>(saved: T) {
  const [made, setMade] = useState<Partial<T>>({});
  const draft = { ...saved, ...made };
  return {
    draft,
    set: (more: Partial<T>) => setMade((before) => ({ ...before, ...more })),
    changes: changed(saved, draft),
    /** These were saved; what was changed after they were sent is still to be. */
    done: (sent: Partial<T>) =>
      setMade(
        (now) => Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(value, sent[name as keyof T]))) as Partial<T>,
      ),
  };
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
