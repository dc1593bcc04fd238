type Line = Record<string, unknown>;

/** Captures the lines of a pino logger instead of standard output. @returns the lines so far */
export function logLines(logger: object): () => Line[] {
  const stream = Object.getOwnPropertySymbols(logger).find((symbol) => symbol.toString() === 'Symbol(pino.stream)');
  if (!stream) throw new Error('pino has no stream');
  const lines: Line[] = [];
  (logger as Record<symbol, unknown>)[stream] = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
  return () => lines;
}
