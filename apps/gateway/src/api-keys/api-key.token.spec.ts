import { idOfToken, newToken, tokenMac, tokenPrefix } from './api-key.token';

describe('the form of an API key (guarantees §9)', () => {
  it('is mgw_live_<id>_<256-bit secret>_<checksum>, a new secret each time', () => {
    const tokens = Array.from({ length: 200 }, () => newToken(17));
    for (const token of tokens) expect(token).toMatch(/^mgw_live_17_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
    expect(new Set(tokens).size).toBe(200);
    expect(newToken(17).startsWith(tokenPrefix(17))).toBe(true);
  });

  it('contains its id', () => expect(idOfToken(newToken(2_147_483_647))).toBe(2_147_483_647));

  it('refuses a changed, cut, lengthened or foreign key without a query', () => {
    const token = newToken(17);
    const changed = token.slice(0, 20) + (token[20] === 'x' ? 'y' : 'x') + token.slice(21);
    const wrong = [
      changed,
      token.slice(0, -1),
      `${token}0`,
      ` ${token}`,
      `${token}\n`,
      token.replace('_17_', '_18_'),
      token.replace('live', 'test'),
    ];
    for (const text of [...wrong, '', 'mgw_live_', 'x'.repeat(10_000)]) expect(idOfToken(text)).toBeNull();
  });

  it('is stored as a MAC that depends on the pepper', () => {
    const token = newToken(1);
    expect(tokenMac(token, 'pepper')).toEqual(tokenMac(token, 'pepper'));
    expect(tokenMac(token, 'pepper')).not.toEqual(tokenMac(token, 'other'));
  });
});
