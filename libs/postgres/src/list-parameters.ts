const OIDS = { text: 25, bytea: 17 };
const HEAD_BYTES = 20;

/** A parameter, from 0, that a statement calls `text[]` or `bytea[]`. */
export interface ListParameter {
  place: number;
  of: keyof typeof OIDS;
}

export function listsOf(text: string): ListParameter[] {
  const named = [...text.matchAll(/\$(\d+)::(text|bytea)\[\]/g)].map(
    ([, number, of]) => [Number(number) - 1, of as ListParameter['of']] as const,
  );
  return [...new Map(named)].map(([place, of]) => ({ place, of }));
}

/**
 * A list in PostgreSQL's binary format. Written out as a literal, each quotation mark of a JSON text would be escaped here and found
 * there, one by one, and bytes would be spelled as twice as many letters.
 * @returns the value itself when it is anything but a list of these
 */
export function asBinary(value: unknown, of: ListParameter['of']): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  let size = HEAD_BYTES;
  for (const one of value as unknown[]) {
    if (one === null) size += 4;
    else if (of === 'text' && typeof one === 'string') size += 4 + Buffer.byteLength(one);
    else if (of === 'bytea' && Buffer.isBuffer(one)) size += 4 + one.length;
    else return value;
  }
  const bytes = Buffer.allocUnsafe(size);
  // One dimension, whether there are nulls, of what, how many, counted from 1.
  let at = 0;
  for (const word of [1, value.includes(null) ? 1 : 0, OIDS[of], value.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const one of value as (string | Buffer | null)[]) {
    const length = one === null ? -1 : typeof one === 'string' ? bytes.write(one, at + 4) : one.copy(bytes, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}
