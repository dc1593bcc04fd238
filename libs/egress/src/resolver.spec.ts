import { startNameServer, type NameServer } from '@mgw/testing';
import { systemResolver, type Resolve } from './resolver';

describe('names that customers supply', () => {
  let server: NameServer;
  let resolve: Resolve;
  /** Addresses by name; other names get no response. */
  let zone: Record<string, string[]>;
  beforeEach(async () => {
    zone = {};
    server = await startNameServer((name, type) => zone[name]?.filter((address) => address.includes(':') === (type === 'AAAA')));
    resolve = systemResolver({ servers: [server.address] });
  });
  afterEach(() => server.close());

  it('resolve to all their addresses of both kinds', async () => {
    zone['both.example.com'] = ['93.184.215.14', '10.0.0.1', '2606:4700::1111'];
    zone['six.example.com'] = ['fe80::1'];
    expect(await resolve('both.example.com', 'dns')).toEqual(['93.184.215.14', '10.0.0.1', '2606:4700::1111']);
    expect(await resolve('six.example.com', 'dns')).toEqual(['fe80::1']);
  });

  it('fail without an address', async () => {
    zone['none.example.com'] = [];
    await expect(resolve('none.example.com', 'dns')).rejects.toThrow('no address');
  });

  it('are resolved for each call', async () => {
    zone['moves.example.com'] = ['93.184.215.14'];
    await resolve('moves.example.com', 'dns');
    zone['moves.example.com'] = ['93.184.215.15'];
    expect(await resolve('moves.example.com', 'dns')).toEqual(['93.184.215.15']);
  });

  it('may need several queries, even if others resolve at once', async () => {
    zone['quick.example.com'] = ['93.184.215.14'];
    for (let i = 0; i < 10; i++) await resolve('quick.example.com', 'dns');
    const slow = resolve('slow.example.com', 'dns');
    const isAskedAgain = () => server.questions.filter((question) => question === 'slow.example.com A').length >= 4;
    while (!isAskedAgain()) await resolve('quick.example.com', 'dns');
    zone['slow.example.com'] = ['93.184.215.16'];
    expect(await slow).toEqual(['93.184.215.16']);
  });

  it('D5: a hundred without a response delay no other', async () => {
    let ended = 0;
    const dead = Array.from({ length: 100 }, (_, i) => resolve(`dead${i}.example.com`, 'dns').catch(() => (ended += 1)));
    zone['quick.example.com'] = ['93.184.215.14'];
    expect(await resolve('quick.example.com', 'dns')).toEqual(['93.184.215.14']);
    expect([dead.length, ended]).toEqual([100, 0]);
    await server.close();
    await Promise.all(dead);
    server = await startNameServer(() => []);
  });

  it('are resolved by the system, not by DNS, if the operator allowed them', async () => {
    const addresses = await resolve('localhost', 'system');
    expect(addresses.length).toBeGreaterThan(0);
    expect(addresses.every((address) => ['127.0.0.1', '::1'].includes(address))).toBe(true);
    expect(server.questions).toEqual([]);
  });
});
