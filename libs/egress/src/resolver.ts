import { lookup, Resolver } from 'node:dns/promises';

/**
 * Asks for every address of a host name. Names that customers give are asked of `dns`; names that the operator allowed (product
 * decision 32) are asked of the `system`, which also knows its hosts file and the names of containers.
 * @throws Error when the name has no address or nobody says
 */
export type Resolve = (name: string, from: 'dns' | 'system') => Promise<string[]>;

interface DnsOptions {
  /** `address:port` of the servers to ask; by default those of the system. */
  servers?: readonly string[];
}

/**
 * First wait for an answer, and questions in all. c-ares shortens the wait to a quarter of a second for servers that are mostly
 * quick: a name that takes seconds needs all five questions.
 */
const ANSWER_MS = 1_000;
const QUESTIONS = 5;

/**
 * `lookup` runs getaddrinfo in four threads of the whole process: four names whose servers never answer would hold up every
 * other (guarantees §4, D5). Queries of c-ares wait side by side and each ends by itself.
 */
export function systemResolver({ servers }: DnsOptions = {}): Resolve {
  const dns = new Resolver({ timeout: ANSWER_MS, tries: QUESTIONS });
  if (servers) dns.setServers(servers);
  return async (name, from) => {
    if (from === 'system') return (await lookup(name, { all: true })).map(({ address }) => address);
    const found = await Promise.allSettled([dns.resolve4(name), dns.resolve6(name)]);
    const addresses = found.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw new Error('the name has no address');
    return addresses;
  };
}
