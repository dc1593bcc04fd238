import ipaddr from 'ipaddr.js';

/** Parses any spelling of an address; null for anything else. IPv4 inside IPv6 becomes the IPv4 address. */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** A public address that the machine's own host serves: Azure's metadata and agents. */
const HOSTS_OWN = '168.63.129.16';

/**
 * Whether an address is on the public internet. IPv6 has an allow-list, because only a part of 2000::/3 is assigned (guarantees §5).
 */
export function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== HOSTS_OWN;
  return address.match(ipaddr.IPv6.parse('2000::'), 3);
}
