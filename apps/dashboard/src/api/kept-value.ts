/** A value of this tab that survives a reload. A logout clears all of them. */
interface KeptValue<T> {
  read: () => T | null;
  /** @returns false if the browser's 5 MB are used up; nothing is kept then */
  write: (value: T) => boolean;
  forget: () => void;
}

/** @param name unique in the dashboard */
export function keptValue<T>(userId: number, name: string): KeptValue<T> {
  const key = `kept ${userId} ${name}`;
  const forget = () => sessionStorage.removeItem(key);
  return {
    read: () => JSON.parse(sessionStorage.getItem(key) ?? 'null') as T | null,
    write: (value) => {
      try {
        sessionStorage.setItem(key, JSON.stringify(value));
        return true;
      } catch {
        forget();
        return false;
      }
    },
    forget,
  };
}
