import { urlEndFault, urlFault } from './url';

describe('URLs that leave the gateway (decision 50)', () => {
  it.each([
    'https://example.com/a.png',
    'http://example.com',
    'HTTPS://Example.com/Ä?q=%20#x',
    'https://例え.jp/絵.png',
    'https://[2001:db8::1]:8443/',
    'https://example.com/a@b',
  ])('accepts %s', (text) => expect(urlFault(text)).toBeNull());

  it.each([
    ['a space within', 'https://example.com/a b.png'],
    ['a space before', ' https://example.com/'],
    ['a newline behind', 'https://example.com/\n'],
    ['a tab in the scheme', 'ht\ttps://example.com/'],
    ['a no-break space', 'https://example.com/\u00a0'],
    ['a control character', 'https://example.com/\u0001'],
    ['a backslash', 'https:\\\\example.com\\a'],
    ['a backslash in the path', 'https://example.com\\@evil.example/'],
    ['no slashes', 'https:example.com'],
    ['one slash', 'https:/example.com'],
    ['three slashes', 'https:///example.com'],
    ['no scheme', '//example.com/a'],
    ['another scheme', 'javascript:alert(1)'],
    ['another scheme with a host', 'javascript://example.com/%0aalert(1)'],
    ['file', 'file:///etc/passwd'],
    ['data', 'data:text/plain,x'],
    ['user and password', 'https://user:password@example.com/'],
    ['an empty user', 'https://@example.com/'],
    ['no host', 'https://'],
    ['an invalid port', 'https://example.com:99999/'],
    ['nothing', ''],
  ])('refuses a URL with %s', (_, text) => expect(urlFault(text)).toEqual(expect.stringMatching(/^must be /)));

  it('the end of a URL contains nothing that parsers rewrite', () => {
    expect(urlEndFault('orders/1007?a=b')).toBeNull();
    for (const text of ['a b', 'a\n', '..\\x', '\u0001']) expect(urlEndFault(text)).not.toBeNull();
  });
});
