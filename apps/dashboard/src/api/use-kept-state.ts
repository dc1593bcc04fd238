import { useEffect, useState } from 'react';
import { keptValue } from './kept-value';
import { useMe } from './session';

/** Passes the changes of a state to the component that shows it now, which may be another one than the one that began the change. */
const changes = new EventTarget();

/**
 * State of the logged-in user that survives a reload and the end of the session, in this tab.
 * @param name unique in the dashboard; a component with another name must have another `key`
 * @returns the state, its setter, a function that returns to the initial one unless the state changed since this component was gone, and a
 * setter with a function; the last two work even after the component is gone
 */
export function useKeptState<T>(name: string, initial: T) {
  const { id } = useMe().user;
  const [state, setState] = useState<T>(() => keptValue<T>(id, name).read() ?? initial);
  const [shown, unchanged] = [JSON.stringify(state), JSON.stringify(initial)];
  const keep = (value: T) => {
    const kept = keptValue<T>(id, name);
    if (JSON.stringify(value) === unchanged) kept.forget();
    else kept.write(value);
  };
  useEffect(() => keep(state), [id, name, state, unchanged]);
  useEffect(() => {
    const apply = (event: Event) => setState((event as CustomEvent<(now: T) => T>).detail);
    changes.addEventListener(name, apply);
    return () => changes.removeEventListener(name, apply);
  }, [name]);
  const change = (next: (now: T) => T) => {
    keep(next(keptValue<T>(id, name).read() ?? initial));
    changes.dispatchEvent(new CustomEvent(name, { detail: next }));
  };
  const forget = () => change((now) => (JSON.stringify(now) === shown ? initial : now));
  return [state, setState, forget, change] as const;
}
