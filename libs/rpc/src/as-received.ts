/** A value as its receiver sees it, and about how many bytes of JSON it would take. */
interface Received {
  value: unknown;
  bytes: number;
}

/** Bytes of JSON for a number, or for the quotation marks and commas of a text. */
const PART_BYTES = 8;

/**
 * Copies a value for a receiver in this process, which gets what JSON would bring: dates are texts, class instances are plain objects, and
 * undefined members are absent. The receiver cannot change the sender's objects. Writing and parsing JSON would cost several times as much.
 * @throws TypeError for a bigint, like JSON.stringify; RangeError for a cycle
 */
export function asReceived(value: unknown): Received {
  const received: Received = { value: undefined, bytes: 0 };
  received.value = copied(value, '', received);
  return received;
}

function copied(given: unknown, key: string, received: Received): unknown {
  const value = hasToJson(given) ? given.toJSON(key) : given;
  received.bytes += PART_BYTES;
  switch (typeof value) {
    case 'string':
      received.bytes += value.length;
      return value;
    case 'number':
      // JSON has no -0 either.
      return Number.isFinite(value) ? value + 0 : null;
    case 'boolean':
      return value;
    case 'bigint':
      throw new TypeError('JSON has no bigint');
    case 'object':
      if (value === null) return null;
      return Array.isArray(value) ? copiedList(value, received) : copiedObject(value, received);
    default:
      return undefined;
  }
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function';
}

function copiedList(list: readonly unknown[], received: Received): unknown[] {
  const copy: unknown[] = [];
  for (let i = 0; i < list.length; i++) copy.push(copied(list[i], String(i), received) ?? null);
  return copy;
}

function copiedObject(object: object, received: Received): unknown {
  if (object instanceof Number || object instanceof String || object instanceof Boolean) return copied(object.valueOf(), '', received);
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(object)) {
    const member = copied((object as Record<string, unknown>)[key], key, received);
    if (member === undefined) continue;
    received.bytes += key.length;
    // Assignment would change the prototype.
    if (key === '__proto__') Object.defineProperty(copy, key, { value: member, enumerable: true, configurable: true, writable: true });
    else copy[key] = member;
  }
  return copy;
}
