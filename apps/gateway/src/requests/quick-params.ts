/**
 * Splits `params` of quick-send at commas (spec §4.3, decision 12). `\,` is a comma and `\\` a backslash. Values are trimmed; an empty
 * text has no values.
 */
export function splitParams(text: string): string[] {
  if (text.trim() === '') return [];
  const values: string[] = [];
  let value = '';
  for (let i = 0; i < text.length; i++) {
    const escaped = text[i] === '\\' && (text[i + 1] === ',' || text[i + 1] === '\\');
    if (escaped) i++;
    if (text[i] === ',' && !escaped) {
      values.push(value);
      value = '';
    } else value += text[i];
  }
  return [...values, value].map((each) => each.trim());
}
