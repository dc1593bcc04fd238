/** Edits of a slip of the pen (friendliness F7). */
const MOST_EDITS = 2;

/** The name that was probably meant, whatever its case. @returns null when none is near */
export function nearest(name: string, names: Iterable<string>): string | null {
  let best: { name: string; edits: number } | null = null;
  for (const one of names) {
    // A word of two letters is near to every other.
    const most = Math.min(MOST_EDITS, name.length - 1, (best?.edits ?? Infinity) - 1);
    if (Math.abs(one.length - name.length) > most) continue;
    const edits = editsBetween(one.toLowerCase(), name.toLowerCase());
    if (edits <= most) best = { name: one, edits };
  }
  return best?.name ?? null;
}

/** To be put behind what is said of an unknown name; nothing when none is near. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const meant = nearest(name, names);
  return meant === null ? '' : ` (did you mean \`${meant}\`?)`;
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
