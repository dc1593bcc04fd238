import { useEffect, useState } from 'react';
import { keptValue } from './kept-value';
import { useMe } from './session';

/**
 * State of the logged-in user that survives a reload and the end of the session, in this tab.
 * @param name unique in the dashboard; a component with another name must have another `key`
 * @returns the state, its setter, a function that returns to the initial one, and a setter with a function; the last two work also after the
 * component is gone
 */
export function useKeptState<T>(name: string, initial: T) {
  const { id } = useMe().user;
  const [state, setState] = useState<T>(() => keptValue<T>(id, name).read() ?? initial);
  const unchanged = JSON.stringify(initial);
  useEffect(() => {
    const kept = keptValue<T>(id, name);
    if (JSON.stringify(state) === unchanged) kept.forget();
    else kept.write(state);
  }, [id, name, state, unchanged]);
  const forget = () => {
    keptValue<T>(id, name).forget();
    setState(initial);
  };
  const change = (next: (now: T) => T) => {
    const kept = keptValue<T>(id, name);
    kept.write(next(kept.read() ?? initial));
    setState(next);
  };
  return [state, setState, forget, change] as const;
}
