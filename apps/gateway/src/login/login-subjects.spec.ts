import { accountSubject, addressSubject } from './login-subjects';

describe('what wrong logins are counted by (product §2)', () => {
  it('an account, without keeping the address that was typed', () => {
    expect(accountSubject('a@b.example')).toMatch(/^account:[0-9a-f]{64}$/);
    expect(accountSubject('a@b.example')).not.toBe(accountSubject('c@b.example'));
  });

  it('a network address: IPv4 whole, also when written as IPv6; IPv6 by /64', () => {
    expect(addressSubject('::ffff:203.0.113.7')).toBe(addressSubject('203.0.113.7'));
    expect(addressSubject('203.0.113.7')).not.toBe(addressSubject('203.0.113.8'));
    expect(addressSubject('2001:db8:1:2::1')).toBe(addressSubject('2001:db8:1:2:ffff::9'));
    expect(addressSubject('2001:db8:1:2::1')).not.toBe(addressSubject('2001:db8:1:3::1'));
  });
});
