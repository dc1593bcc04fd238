/** A word of a shell's command line: nothing in it is more than text. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
