import { GatewayError } from '@mgw/contracts';

/** Ten thousand levels make validators overflow the stack (guarantees §9). */
const MAX_DEPTH = 8;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** Control characters other than newline and tab, and halves of surrogate pairs (product decision 9). */
// eslint-disable-next-line no-control-regex
const FORBIDDEN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Reads a request's body. @throws GatewayError VALIDATION_FAILED for what no endpoint accepts, whatever its fields are */
export function parseJsonBody(bytes: Buffer): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GatewayError('VALIDATION_FAILED', 'The body is not UTF-8.');
  }
  if (depthOf(text) > MAX_DEPTH) throw new GatewayError('VALIDATION_FAILED', `The body is nested more than ${MAX_DEPTH} levels deep.`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GatewayError('VALIDATION_FAILED', 'The body is not valid JSON.');
  }
  withPlainLines(value);
  checkContent(value, '');
  return value;
}

/** The one member that is a file: RFC 4180 and spreadsheets end its lines with \r\n. */
function withPlainLines(body: unknown): void {
  const request = body as { csv?: unknown } | null;
  if (typeof request?.csv === 'string') request.csv = request.csv.replace(/\r\n?/g, '\n');
}

/** Looks at brackets outside of texts, before anything recursive sees them. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inText) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inText = false;
    } else if (char === 0x22) inText = true;
    else if (char === 0x7b || char === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x7d || char === 0x5d) depth--;
  }
  return deepest;
}

/** @throws GatewayError VALIDATION_FAILED naming the field */
export function checkContent(value: unknown, path: string): void {
  if (typeof value === 'string' && FORBIDDEN_TEXT.test(value)) throw refused(path, 'must not hold control characters or broken characters');
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (FORBIDDEN_KEYS.has(key)) throw refused(path ? `${path}.${key}` : key, 'is not allowed as a name');
    checkContent(member, path ? `${path}.${key}` : key);
  }
}

function refused(field: string, message: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', `${field || 'The body'} ${message}.`, { details: [{ field, message }] });
}
