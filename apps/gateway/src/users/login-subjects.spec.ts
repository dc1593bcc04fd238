import { accountSubject, addressSubject } from './login-subjects';

describe('subjects that wrong logins count for (spec §10)', () => {
  it('an account, as a hash of the typed address', () => {
    expect(accountSubject('a@b.example')).toMatch(/^account:[0-9a-f]{64}$/);
    expect(accountSubject('a@b.example')).not.toBe(accountSubject('c@b.example'));
  });

  it('a network: the whole IPv4 address, also written as IPv6; the /64 of an IPv6 address', () => {
    expect(addressSubject('::ffff:203.0.113.7')).toBe(addressSubject('203.0.113.7'));
    expect(addressSubject('203.0.113.7')).not.toBe(addressSubject('203.0.113.8'));
    expect(addressSubject('2001:db8:1:2::1')).toBe(addressSubject('2001:db8:1:2:ffff::9'));
    expect(addressSubject('2001:db8:1:2::1')).not.toBe(addressSubject('2001:db8:1:3::1'));
  });
});
