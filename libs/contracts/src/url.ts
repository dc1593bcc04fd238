/** Characters that URL parsers drop or rewrite, so that two of them read different URLs (decision 50). */
const REWRITTEN = /[\s\p{Cc}\\]/u;
const ABSOLUTE = /^https?:\/\/([^/?#]+)/i;

/** Describes why a text is not an absolute http or https URL in its own spelling; null if it is one. Completes "<field> …". */
export function urlFault(text: string): string | null {
  if (REWRITTEN.test(text)) return 'must be a URL without spaces, control characters and backslashes';
  const [, authority] = ABSOLUTE.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(text)) return 'must be an absolute URL that begins with http:// or https://';
  return authority.includes('@') ? 'must be a URL without a user name or password' : null;
}

/** Describes why a text cannot be the end of a URL, which a template's button appends to its own; null if it can. */
export function urlEndFault(text: string): string | null {
  return REWRITTEN.test(text) ? 'must not hold spaces, control characters or backslashes: they are the end of a URL' : null;
}
