import { endedSessionCookie, sessionCookie, sessionToken } from './session-cookie';

const value = 'A-_9'.repeat(11).slice(0, 43);

describe('the cookie `token` (spec §10)', () => {
  it('is hidden from scripts, other sites and other paths', () => {
    expect(sessionCookie(value, true)).toBe(`token=${value}; Max-Age=604800; Path=/api; HttpOnly; SameSite=Lax; Secure`);
    expect(sessionCookie(value, false)).not.toMatch(/Secure|Domain/);
    expect(endedSessionCookie(false)).toMatch(/^token=; Max-Age=0; Path=\/api;/);
  });

  it.each([
    [`token=${value}`, value],
    [`a=1; token=${value}; b=2`, value],
    [`a=1;token=${value};b=2`, value],
    [`xtoken=${value}`, null],
    [`token=${value}0`, null],
    ['token=', null],
    ['', null],
    [undefined, null],
  ])('is read from %p as %p', (header, token) => expect(sessionToken(header)).toBe(token));
});
