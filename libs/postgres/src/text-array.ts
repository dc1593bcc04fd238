const TEXT_OID = 25;
const HEAD_BYTES = 20;

/** Numbers of a statement's parameters that it calls `text[]`, from 0. */
export function textArraysOf(text: string): number[] {
  return [...new Set([...text.matchAll(/\$(\d+)::text\[\]/g)].map(([, number]) => Number(number) - 1))];
}

/**
 * An array of texts in PostgreSQL's binary format. Written out as a literal each quotation mark of a JSON text would be escaped here
 * and found there, one by one.
 * @returns the value itself when it is anything else
 */
export function asBinary(value: unknown): unknown {
  if (!Array.isArray(value) || value.length === 0) return value;
  let size = HEAD_BYTES;
  for (const one of value as unknown[]) {
    if (typeof one === 'string') size += 4 + Buffer.byteLength(one);
    else if (one === null) size += 4;
    else return value;
  }
  const bytes = Buffer.allocUnsafe(size);
  // One dimension, whether there are nulls, of what, how many, counted from 1.
  let at = 0;
  for (const word of [1, value.includes(null) ? 1 : 0, TEXT_OID, value.length, 1]) at = bytes.writeInt32BE(word, at);
  for (const one of value as (string | null)[]) {
    const length = one === null ? -1 : bytes.write(one, at + 4);
    bytes.writeInt32BE(length, at);
    at += 4 + Math.max(length, 0);
  }
  return bytes;
}
