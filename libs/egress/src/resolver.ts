import { lookup, Resolver } from 'node:dns/promises';

/**
 * Resolves every address of a host name. `dns` resolves names of customers. `system` resolves names that the operator allowed (decision 32);
 * it also knows the hosts file and the names of containers.
 * @throws Error if the name has no address or no server responds
 */
export type Resolve = (name: string, from: 'dns' | 'system') => Promise<string[]>;

interface DnsOptions {
  /** `address:port` of the DNS servers; by default the system's. */
  servers?: readonly string[];
}

/**
 * First timeout, and number of queries. c-ares shortens the timeout to a quarter of a second for servers that are usually quick, so a slow
 * name needs all five queries.
 */
const QUERY_TIMEOUT_MS = 1_000;
const MAX_QUERIES = 5;

/**
 * `lookup` runs getaddrinfo in four threads of the process, so four names with silent servers would block all others (guarantees §4, D5).
 * Queries of c-ares run concurrently and end independently.
 */
export function systemResolver({ servers }: DnsOptions = {}): Resolve {
  const dns = new Resolver({ timeout: QUERY_TIMEOUT_MS, tries: MAX_QUERIES });
  if (servers) dns.setServers(servers);
  return async (name, from) => {
    if (from === 'system') return (await lookup(name, { all: true })).map(({ address }) => address);
    const found = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    const addresses = found.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
    if (addresses.length === 0) throw new Error('the name has no address');
    return addresses;
  };
}
