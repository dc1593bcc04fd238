/** The fields with a value: null in an optional field means the same as leaving it out (decision 44). */
export function withoutNulls<T extends object>(request: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const entries = Object.entries(request).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as { [K in keyof T]?: NonNullable<T[K]> };
}
