/** Maximum number of edits of a typing error. */
export const MAX_EDITS = 2;

/** The most similar name, ignoring case. @returns null if none is similar */
export function nearest(name: string, names: Iterable<string>): string | null {
  let best: { name: string; edits: number } | null = null;
  for (const one of names) {
    // Two edits turn any word of two letters into any other.
    const most = Math.min(MAX_EDITS, name.length - 1, (best?.edits ?? Infinity) - 1);
    if (Math.abs(one.length - name.length) > most) continue;
    const edits = editsBetween(one.toLowerCase(), name.toLowerCase(), most);
    if (edits <= most) best = { name: one, edits };
  }
  return best?.name ?? null;
}

/** A suffix for the message about an unknown name; empty if no name is similar. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const similar = nearest(name, names);
  return similar === null ? '' : ` (did you mean \`${similar}\`?)`;
}

/**
 * Levenshtein's distance, row by row. A row has only the places that `most` edits can reach, because a name is compared with a thousand others.
 * @returns Infinity if the distance is larger than `most`
 */
function editsBetween(one: string, other: string, most: number): number {
  let start = 0;
  while (start < one.length && one.charCodeAt(start) === other.charCodeAt(start)) start++;
  const width = 2 * most + 1;
  // Place k of row i is the distance of the first i characters of `one` from the first i + k - most of `other`.
  let row: number[] = [];
  for (let k = 0; k < width; k++) row.push(k < most ? Infinity : k - most);
  for (let i = start + 1; i <= one.length; i++) {
    const next: number[] = [];
    let least = Infinity;
    for (let k = 0; k < width; k++) {
      const j = i + k - most;
      let edits = Infinity;
      if (j >= start && j <= other.length) {
        if (j > start) edits = (row[k] as number) + (one.charCodeAt(i - 1) === other.charCodeAt(j - 1) ? 0 : 1);
        if (k > 0) edits = Math.min(edits, (next[k - 1] as number) + 1);
        if (k < width - 1) edits = Math.min(edits, (row[k + 1] as number) + 1);
      }
      next.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return Infinity;
    row = next;
  }
  const edits = row[other.length - one.length + most] ?? Infinity;
  return edits > most ? Infinity : edits;
}
