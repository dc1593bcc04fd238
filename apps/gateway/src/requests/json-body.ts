import { GatewayError } from '@mgw/contracts';

/** Deep nesting overflows the stack of validators (guarantees §9). */
const MAX_DEPTH = 8;
/** A name takes several times the memory of a value. */
const VALUES_PER_NAME = 5;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
/** Control characters other than newline and tab, and lone surrogates (decision 9). */
// eslint-disable-next-line no-control-regex
const FORBIDDEN_TEXT = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Parses a request body. @throws GatewayError VALIDATION_FAILED for content that no endpoint accepts */
export function parseJsonBody(bytes: Buffer, maxValues: number): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GatewayError('VALIDATION_FAILED', 'The body is not UTF-8.');
  }
  checkSize(text, maxValues);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new GatewayError('VALIDATION_FAILED', 'The body is not valid JSON.');
  }
  normalizeCsvLines(value);
  checkBody(value);
  return value;
}

/** Replaces \r\n, which ends lines in RFC 4180 and spreadsheets, in the one member that is a file. */
function normalizeCsvLines(body: unknown): void {
  const request = body as { csv?: unknown } | null;
  if (typeof request?.csv === 'string') request.csv = request.csv.replace(/\r\n?/g, '\n');
}

/** Counts brackets, commas and colons outside of strings, before the parser recurses or allocates. */
function checkSize(text: string, maxValues: number): void {
  let depth = 0;
  let values = 0;
  let names = 0;
  let inText = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inText) {
      if (char === 0x5c) i++;
      else if (char === 0x22) inText = false;
    } else if (char === 0x22) inText = true;
    else if (char === 0x2c) values++;
    else if (char === 0x3a) names++;
    else if (char === 0x7b || char === 0x5b) {
      values++;
      if (++depth > MAX_DEPTH) throw new GatewayError('VALIDATION_FAILED', `The body is nested more than ${MAX_DEPTH} levels deep.`);
    } else if (char === 0x7d || char === 0x5d) depth--;
    if (values > maxValues || names > maxValues / VALUES_PER_NAME)
      throw new GatewayError('VALIDATION_FAILED', `The body holds more than ${maxValues} values.`);
  }
}

/** The rows of an import check their texts themselves, because a fault in one row does not refuse the others (imported-rows.ts). */
function checkBody(body: unknown): void {
  const rows = (body as { rows?: unknown } | null)?.rows;
  if (!Array.isArray(rows)) return checkContent(body);
  refuse(contentFault({ rows }, false));
  checkContent({ ...(body as object), rows: [] });
}

/** @throws GatewayError VALIDATION_FAILED naming the field */
export const checkContent = (value: unknown): void => refuse(contentFault(value));

function refuse(fault: { field: string; message: string } | null): void {
  if (!fault) return;
  const { field, message } = fault;
  throw new GatewayError('VALIDATION_FAILED', `${field || 'The body'} ${message}.`, { details: [{ field, message }] });
}

/** The first forbidden name or text in a value. */
export function contentFault(value: unknown, checksTexts = true): { field: string; message: string } | null {
  const fault = faultIn(value, checksTexts);
  return fault && { field: fault.path.reverse().join('.'), message: fault.message };
}

interface Fault {
  /** Names from the innermost to the outermost. */
  path: string[];
  message: string;
}

/** Allocates nothing for content without a fault. PostgreSQL refuses NUL and lone surrogates in names as in values. */
function faultIn(value: unknown, checksTexts: boolean): Fault | null {
  if (typeof value === 'string') return checksTexts && FORBIDDEN_TEXT.test(value) ? { path: [], message: characterFault(value) } : null;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const fault = faultIn(value[i], checksTexts);
      if (fault) return within(String(i), fault);
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    if (FORBIDDEN_KEYS.has(key)) return { path: [key], message: 'is not allowed as a name' };
    // The path ends before the name, which could not be printed.
    if (FORBIDDEN_TEXT.test(key)) return { path: [], message: 'must not contain names with control characters or invalid Unicode' };
    const fault = faultIn((value as Record<string, unknown>)[key], checksTexts);
    if (fault) return within(key, fault);
  }
  return null;
}

/** Names the first forbidden character, which no editor shows. */
function characterFault(text: string): string {
  const at = text.search(FORBIDDEN_TEXT);
  const name = `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`;
  const advice = text[at] === '\r' ? ' (end lines with \\n only)' : '';
  return `must not contain control characters or invalid Unicode: found ${name}${advice}`;
}

function within(name: string, fault: Fault): Fault {
  fault.path.push(name);
  return fault;
}
