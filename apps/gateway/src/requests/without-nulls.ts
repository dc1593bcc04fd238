/** The fields with a value: null in an optional field means the same as leaving it out (decision 44). */
export function withoutNulls<T extends object>(request: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}

/** The names of the fields that a request changes. @param removable the fields that null removes */
export function changedFields<T extends object>(request: T, removable: (keyof T)[]): string[] {
  // Members that a request leaves out exist and are undefined.
  const changed = Object.entries(request).filter(([name, value]) =>
    value === null ? removable.includes(name as keyof T) : value !== undefined,
  );
  return changed.map(([name]) => name);
}
