/** Bounds the work for a body that is full of names. */
const MAX_PLACES = 2_000;
const MAX_DIGITS = 32;
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d]);
const COLON = 0x3a;
const QUOTE = 0x22;

/** The numbers in a callback, read from its bytes without parsing. They only choose the secrets to try first. */
export function numbersIn(body: Buffer): Generator<string> {
  return digitsAfter(body, '"phone_number_id"');
}

/** The digits of each `id`, which include the account's (platform §4.3). */
export function idsIn(body: Buffer): Generator<string> {
  return digitsAfter(body, '"id"');
}

function* digitsAfter(body: Buffer, name: string): Generator<string> {
  let at = body.indexOf(name);
  for (let places = 0; at !== -1 && places < MAX_PLACES; places++) {
    const digits = digitsAt(body, at + name.length);
    if (digits !== '') yield digits;
    at = body.indexOf(name, at + name.length);
  }
}

function digitsAt(body: Buffer, from: number): string {
  let at = afterSpace(body, from);
  if (body[at] !== COLON) return '';
  at = afterSpace(body, at + 1);
  if (body[at] === QUOTE) at += 1;
  let end = at;
  while (end - at <= MAX_DIGITS && isDigit(body[end])) end += 1;
  return end - at <= MAX_DIGITS ? body.toString('latin1', at, end) : '';
}

function afterSpace(body: Buffer, from: number): number {
  let at = from;
  while (at - from < MAX_DIGITS && SPACE.has(body[at] ?? 0)) at += 1;
  return at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}
