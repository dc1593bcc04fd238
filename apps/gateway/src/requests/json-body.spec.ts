import type { GatewayError } from '@mgw/contracts';
import { parseJsonBody } from './json-body';

const read = (text: string | Buffer) => {
  try {
    return parseJsonBody(Buffer.from(text), 10_000);
  } catch (error) {
    return (error as GatewayError).error_code;
  }
};

describe('JSON bodies (decisions 5, 6, 9; guarantees §9)', () => {
  it('are parsed unchanged', () => {
    expect(read('{"a":[1,"नमस्ते 👋\\n\\t"],"b":{"c":null}}')).toEqual({ a: [1, 'नमस्ते 👋\n\t'], b: { c: null } });
    expect(read('{"a":"[[[[[[[[[[[[ \\" [[["}')).toEqual({ a: '[[[[[[[[[[[[ " [[[' });
  });

  it('guarantees N1: have a limit of values and names at any depth', () => {
    expect(read(`[${'0,'.repeat(9_990)}0]`)).toHaveLength(9_991);
    expect(read(`[${'0,'.repeat(10_000)}0]`)).toBe('VALIDATION_FAILED');
    expect(read(`{"a":[${'{},'.repeat(6_000)}{}]}`)).toBe('VALIDATION_FAILED');
    expect(read(`{${Array.from({ length: 3_000 }, (_, i) => `"${i}":0`).join()}}`)).toBe('VALIDATION_FAILED');
    expect(read(`{"a":"${'[,:{'.repeat(10_000)}"}`)).toEqual({ a: '[,:{'.repeat(10_000) });
  });

  it('a refusal has the path of the member and names the character', () => {
    const details = (text: string) => {
      try {
        return parseJsonBody(Buffer.from(text), 10_000);
      } catch (error) {
        return (error as GatewayError).extras['details'];
      }
    };
    const found = (name: string) => `must not contain control characters or invalid Unicode: found ${name}`;
    expect(details('{"a":[{"b":"\\u0000"}]}')).toEqual([{ field: 'a.0.b', message: found('U+0000') }]);
    expect(details('{"a":"b\\ud83d"}')).toEqual([{ field: 'a', message: found('U+D83D') }]);
    expect(details('{"a":"b\\r\\n"}')).toEqual([{ field: 'a', message: found('U+000D (end lines with \\n only)') }]);
    expect(details('{"a":{"constructor":1}}')).toMatchObject([{ field: 'a.constructor' }]);
    // A name that is not printable is not repeated.
    expect(details('{"a":[{"b\\u0000":1}]}')).toMatchObject([{ field: 'a.0' }]);
    expect(details('{"a":"\\u0000","rows":["\\u0000"]}')).toMatchObject([{ field: 'a' }]);
    expect(details('{"rows":["\\u0000",{"constructor":1}]}')).toMatchObject([{ field: 'rows.1.constructor' }]);
  });

  it.each([
    ['not JSON', '{"a":'],
    ['nothing', ''],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['nine levels', '[[[[[[[[[1]]]]]]]]]'],
    ['ten thousand levels', '['.repeat(10_000)],
    ['__proto__', '{"__proto__":{"a":1}}'],
    ['constructor inside', '{"a":{"constructor":1}}'],
    ['NUL', '{"a":"\\u0000"}'],
    ['another control character', '{"a":"\\u001b[0m"}'],
    ['next line, a control character beyond ASCII', '{"a":"b\u0085c"}'],
    ['the last of them', '{"a":"\\u009f"}'],
    ['a lone high surrogate', '{"a":"\\ud83d"}'],
    ['a lone low surrogate', '{"a":["\\udc4b"]}'],
    ['NUL in a name', '{"\\u0000":1}'],
    ['a lone surrogate in a name', '{"a":[{"\\ud83d":1}]}'],
  ])('are refused with %s', (_, text) => {
    expect(read(text)).toBe('VALIDATION_FAILED');
  });
});
