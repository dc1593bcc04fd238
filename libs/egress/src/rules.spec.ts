import { withPort, SSRF_CASES } from '@mgw/testing';
import { EgressRules } from './rules';

const rules = new EgressRules({ allowedTargets: [], ports: [443, 8443] });
const local = new EgressRules({ allowedTargets: ['127.0.0.1', 'localhost:9000', '10.1.0.0/16:8080', '[::1]'], ports: [443] });
const refused = (url: string, by = rules) => 'refused' in by.check(url);

describe('addresses that customers supply (guarantees §5, decision 32)', () => {
  it.each(['127.0.0.1:9000/hook', 'localhost:9000/hook', 'crm.example.com/hook', '//crm.example.com'])('%s lacks its scheme', (url) => {
    for (const by of [rules, local]) expect(by.check(url)).toEqual({ refused: 'must begin with https:// or http://' });
  });

  it.each(['https://hooks.example.com/x?y=1', 'https://example.com:8443/', 'https://93.184.216.34/', 'https://[2606:4700::1111]/'])(
    '%s is taken',
    (url) => {
      expect(refused(url)).toBe(false);
    },
  );

  it.each([
    'not a url',
    'ftp://example.com/',
    'http://example.com/',
    'https://user:pass@example.com/',
    'https://example.com/#part',
    'https://example.com:22/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://192.0.2.1/',
    'https://198.18.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[2001:db8::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://localhost../',
    'https://a..example.com/',
    `https://${'a'.repeat(64)}.example.com/`,
    'https://127。0。0。1/',
    'https://ｌｏｃａｌｈｏｓｔ/',
    'https://public.example.com@127.0.0.1/',
    'https://host.docker.internal/',
    'https://[::ffff:0:127.0.0.1]/',
    'https://[3fff::1]/',
    'https://[5f00::1]/',
    'https://0xa9fea9fe/',
    'https://intranet/',
    'https://db.internal/',
    'https://kubernetes.default.svc/',
    'https://kubernetes.default.svc./',
    'https://kubernetes.default.svc.cluster.local/',
    'https://vault.service.consul/',
    'https://host.localdomain/',
    'https://printer.local/',
    'https://metadata.google.internal/',
  ])('%s is refused', (url) => {
    expect(refused(url)).toBe(true);
  });

  it.each(SSRF_CASES)('$name: refuses $url on every port', ({ url }) => {
    expect(refused(url)).toBe(true);
    expect(refused(withPort(url, 8443) ?? url)).toBe(true);
  });

  it.each([
    ['http://127.0.0.1:3000/hook', false],
    ['http://127.1:3000/hook', false],
    ['http://localhost:9000/', false],
    ['http://localhost:9001/', true],
    ['http://10.1.2.3:8080/', false],
    ['http://10.1.2.3:8081/', true],
    ['http://10.2.2.3:8080/', true],
    ['http://[::1]:5000/', false],
    ['http://127.0.0.2/', true],
  ])('with targets allowed for development, %s is refused: %s', (url, expected) => {
    expect(refused(url, local)).toBe(expected);
  });

  it.each(['', '10.0.0.0/x', '10.0.0.0/33', 'example.com/8', 'a b', ':80', 'localhost:70000'])(
    'refuses the invalid target %j',
    (target) => {
      expect(() => new EgressRules({ allowedTargets: [target], ports: [443] })).toThrow();
    },
  );

  it('checks an address that a name resolves to', () => {
    const url = new URL('https://rebound.example.com/');
    expect(rules.permits(url, '93.184.216.34')).toBe(true);
    for (const address of ['127.0.0.1', '10.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1', '169.254.169.254', '168.63.129.16'])
      expect(rules.permits(url, address)).toBe(false);
  });
});
