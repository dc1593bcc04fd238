/** A piece of a text that WhatsApp formats. */
export type FormattedPart =
  | string
  | { kind: 'bold' | 'italic' | 'strike' | 'mono'; parts: FormattedPart[] }
  | { kind: 'link'; url: string };

/** A marker counts only at the edge of a word and next to a character that is not a space. */
const FORMAT =
  /```([\s\S]+?)```|(https?:\/\/[^\s<>]+)|(?<![\p{L}\p{N}])(?:\*(?=\S)([^*\n]+)(?<=\S)\*|_(?=\S)([^_\n]+)(?<=\S)_|~(?=\S)([^~\n]+)(?<=\S)~|`([^`\n]+)`)(?![\p{L}\p{N}])/gu;
/** Punctuation after a link ends the sentence and does not belong to the link. */
const AFTER_LINK = /[.,;:!?'")\]*_~]+$/;

/** Parses `*bold*`, `_italic_`, `~strike~`, code and links as WhatsApp does. */
export function formatText(text: string): FormattedPart[] {
  const parts: FormattedPart[] = [];
  let from = 0;
  for (const found of text.matchAll(FORMAT)) {
    const [whole, block, address, bold, italic, strike, code] = found;
    const url = address?.replace(AFTER_LINK, '');
    const mono = block ?? code;
    const styled = bold ?? italic ?? strike;
    if (found.index > from) parts.push(text.slice(from, found.index));
    from = found.index + (url ?? whole).length;
    if (url !== undefined) parts.push({ kind: 'link', url });
    else if (mono !== undefined) parts.push({ kind: 'mono', parts: [mono] });
    else if (styled !== undefined)
      parts.push({ kind: bold !== undefined ? 'bold' : italic !== undefined ? 'italic' : 'strike', parts: formatText(styled) });
  }
  if (from < text.length) parts.push(text.slice(from));
  return parts;
}
