/** Levels of arrays and objects; WhatsApp's callbacks have about ten. A value nested much deeper parses but cannot be serialized. */
const MAX_LEVELS = 100;
/** Values in a callback. 3 MB of WhatsApp's JSON have fewer than 100,000; three bytes such as `{},` take sixty in memory. */
const MAX_VALUES = 250_000;

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/** The callback exceeds a bound of this process, so it becomes a dead letter. */
export class UnusualCallbackError extends Error {
  constructor(excess: string) {
    super(`${excess}: WhatsApp sends no such callback`);
  }
}

/**
 * Parses a callback. Removes NUL from texts, which PostgreSQL cannot store, and replaces lone surrogates (platform §9).
 * @throws UnusualCallbackError if it has too many values or is nested too deep
 * @throws Error if it is not JSON
 */
export function readCallback(body: Buffer): unknown {
  if (hasTooManyValues(body)) throw new UnusualCallbackError(`more than ${MAX_VALUES} values`);
  return toStorable(JSON.parse(body.toString('utf8')), MAX_LEVELS);
}

/** Counts without parsing: in valid JSON each value follows a comma or begins an array or object. */
function hasTooManyValues(body: Buffer): boolean {
  // Each value takes two bytes at least.
  if (body.length <= 2 * MAX_VALUES) return false;
  let values = 0;
  let inText = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i];
    if (inText) {
      if (byte === BACKSLASH) i += 1;
      else if (byte === QUOTE) inText = false;
    } else if (byte === QUOTE) inText = true;
    else if ((byte === COMMA || byte === BRACE || byte === BRACKET) && (values += 1) > MAX_VALUES) return true;
  }
  return false;
}

/**
 * Cleans the texts of a parsed value in place.
 * @throws UnusualCallbackError if it has more levels of arrays and objects
 */
export function toStorable(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0') ? value : value.replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) throw new UnusualCallbackError('nested too deep');
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) members[name] = toStorable(members[name], levels - 1);
  return value;
}
