import ipaddr from 'ipaddr.js';

/** Reads any spelling of an address; null when it is none. IPv4 inside IPv6 is the IPv4 address. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** Public by its number, but answered by the machine's own host: Azure's metadata and agents. */
const HOSTS_OWN = '168.63.129.16';

/**
 * Whether an address is on the public internet. IPv6 by allow-list: only 2000::/3 is given out, and not all of it (guarantees §5).
 */
export function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== HOSTS_OWN;
  return address.match(ipaddr.IPv6.parse('2000::'), 3);
}
