/** Maximum number of edits of a typing error. */
export const MAX_EDITS = 2;

/** The most similar name, ignoring case. @returns null if none is similar */
export function nearest(name: string, names: Iterable<string>): string | null {
  let best: { name: string; edits: number } | null = null;
  for (const one of names) {
    // Two edits turn any word of two letters into any other.
    const most = Math.min(MAX_EDITS, name.length - 1, (best?.edits ?? Infinity) - 1);
    if (Math.abs(one.length - name.length) > most) continue;
    const edits = editsBetween(one.toLowerCase(), name.toLowerCase());
    if (edits <= most) best = { name: one, edits };
  }
  return best?.name ?? null;
}

/** A suffix for the message about an unknown name; empty if no name is similar. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const similar = nearest(name, names);
  return similar === null ? '' : ` (did you mean \`${similar}\`?)`;
}

/** Levenshtein's distance, row by row. */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, char] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++)
      next.push(Math.min((row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, (row[j] ?? 0) + (char === other[j] ? 0 : 1)));
    row = next;
  }
  return row[other.length] ?? 0;
}
