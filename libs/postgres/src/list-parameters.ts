const OIDS = { text: 25, bytea: 17 };
const HEAD_BYTES = 20;

/** A parameter that a statement casts to `text[]` or `bytea[]`. */
export interface ListParameter {
  /** From 0. */
  index: number;
  type: keyof typeof OIDS;
}

export function listsOf(text: string): ListParameter[] {
  const named = [...text.matchAll(/\$(\d+)::(text|bytea)\[\]/g)].map(
    ([, number, type]) => [Number(number) - 1, type as ListParameter['type']] as const,
  );
  return [...new Map(named)].map(([index, type]) => ({ index, type }));
}

/**
 * Encodes a list in PostgreSQL's binary format. A literal would escape each quotation mark of a JSON text, and would double the size of
 * bytes.
 * @returns the value itself if it is not a list of this type
 */
export function asBinary(value: unknown, type: ListParameter['type']): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  let size = HEAD_BYTES;
  for (const one of value as unknown[]) {
    if (one === null) size += 4;
    else if (type === 'text' && typeof one === 'string') size += 4 + Buffer.byteLength(one);
    else if (type === 'bytea' && Buffer.isBuffer(one)) size += 4 + one.length;
    else return value;
  }
  const bytes = Buffer.allocUnsafe(size);
  // The header: dimensions, whether there are nulls, type, length, first index.
  let at = 0;
  for (const word of [1, value.includes(null) ? 1 : 0, OIDS[type], value.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const one of value as (string | Buffer | null)[]) {
    const length = one === null ? -1 : typeof one === 'string' ? bytes.write(one, at + 4) : one.copy(bytes, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}
