/** Levels of arrays and objects; the platform's callbacks have about ten. What is nested much deeper could be read, but not written again. */
const MOST_LEVELS = 100;

/**
 * What a callback says. NUL, which PostgreSQL's text cannot hold, is left out of its texts, and a lone surrogate is replaced
 * (platform §9): nothing that somebody wrote keeps an update from being stored.
 * @throws Error when it is no JSON, or nested too deep
 */
export function readCallback(body: Buffer): unknown {
  return storable(JSON.parse(body.toString('utf8')), MOST_LEVELS);
}

function storable(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0') ? value : value.replaceAll('\0', '').toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) throw new Error('nested too deep');
  const members = value as Record<string, unknown>;
  for (const name of Object.keys(members)) members[name] = storable(members[name], levels - 1);
  return value;
}
