import { isKnownField } from '../requests/prepared-check';

const MAX_FIELDS = 10;

/** The top-level fields of the details that a request class has. The rest of a path, and unknown names, may be texts of the caller. */
export function knownFields(details: unknown): string[] {
  if (!Array.isArray(details)) return [];
  const names = (details as { field: string }[]).map(({ field }) => field.split('.', 1)[0] ?? '');
  return [...new Set(names)].filter(isKnownField).slice(0, MAX_FIELDS);
}
