import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Parses any spelling of an address; null for anything else. IPv4 inside IPv6 becomes the IPv4 address. */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null;
}

/** A public address that reaches the machine's own host: Azure's metadata and agents. */
const AZURE_HOST = '168.63.129.16';

/**
 * Whether an address is on the public internet. IPv6 has an allow-list, because only a part of 2000::/3 is assigned (guarantees §5).
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false;
  if (address instanceof ipaddr.IPv4) return address.toString() !== AZURE_HOST;
  return address.match(ipaddr.IPv6.parse('2000::'), 3);
}

interface EgressOptions {
  /** Non-public hosts or CIDRs that may be called, each with an optional `:port`; not in production (decision 32). */
  allowedTargets: readonly string[];
  /** Ports of public hosts. */
  ports: readonly number[];
}

/** Reason of a refusal for the business. It reveals nothing about our network (guarantees §5). */
export interface AddressRefusal {
  refused: string;
}

interface Target {
  host: string | null;
  range: [ipaddr.IPv4 | ipaddr.IPv6, number] | null;
  port: string | null;
}

/** Names that resolve within a private network or cluster (decision 54). */
const PRIVATE_NAME = /(^|\.)(localhost|localdomain|local|svc|consul|internal|intranet|lan|home|corp|private|test|invalid|onion|arpa)$/;

/** Decides which addresses of customers may be called (guarantees §5). */
export class EgressRules {
  private readonly targets: Target[];
  private readonly ports: Set<string>;

  constructor({ allowedTargets, ports }: EgressOptions) {
    this.targets = allowedTargets.map(target);
    this.ports = new Set(ports.map(String));
  }

  /** Applies every rule that needs no DNS. */
  check(text: string): { url: URL } | AddressRefusal {
    // A parser takes the name in `localhost:9000` for a scheme.
    if (!/^[a-z]+:\/\//i.test(text.trim())) return { refused: 'must begin with https:// or http://' };
    if (!URL.canParse(text)) return { refused: 'must be a URL' };
    const url = new URL(text);
    if (url.protocol !== 'https:' && url.protocol !== 'http:') return { refused: 'must begin with https://' };
    if (url.username || url.password) return { refused: 'must not hold a user name or password' };
    if (url.hash) return { refused: 'must not hold a fragment (#)' };
    if (this.isAllowedName(url)) return { url };
    if (url.protocol !== 'https:') return { refused: 'must begin with https://' };
    if (!this.ports.has(portOf(url))) return { refused: `must use port ${[...this.ports].join(' or ')}` };
    const literal = parseAddress(hostOf(url));
    if (literal) return isPublic(literal) ? { url } : { refused: 'must be a public address' };
    const name = hostOf(url).replace(/\.$/, '');
    if (!isHostName(name)) return { refused: 'must hold a host name' };
    if (!name.includes('.') || PRIVATE_NAME.test(name)) return { refused: 'must be a public address' };
    return { url };
  }

  /** Whether this address of the URL's host may be called. */
  permits(url: URL, address: string): boolean {
    const parsed = parseAddress(address);
    if (!parsed) return false;
    return isPublic(parsed) ? url.protocol === 'https:' || this.isAllowedName(url) : this.isAllowed(url, parsed);
  }

  /** Whether the URL's host is named among the allowed targets. */
  isAllowedName(url: URL): boolean {
    const literal = parseAddress(hostOf(url));
    if (literal) return this.isAllowed(url, literal);
    return this.targets.some((t) => t.host === hostOf(url) && (t.port === null || t.port === portOf(url)));
  }

  private isAllowed(url: URL, address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
    return this.targets.some(({ host, range, port }) => {
      if (port !== null && port !== portOf(url)) return false;
      if (range) return range[0].kind() === address.kind() && address.match(range as [ipaddr.IPv4, number] & [ipaddr.IPv6, number]);
      // A name allows the addresses that it resolves to now: loopback for `localhost`.
      return host !== null && isIP(host) === 0 && host === hostOf(url);
    });
  }
}

/** @returns the text. @throws Error if it is not a valid target */
export function allowedTarget(text: string): string {
  target(text);
  return text;
}

function target(text: string): Target {
  const [, bracketed, plain, mask, port] =
    /^(?:\[([^\]]+)\]|([\w.-]+|[0-9a-f:]*:[0-9a-f:]*:[0-9a-f:.]*))(?:\/(\d+))?(?::(\d+))?$/i.exec(text) ?? [];
  const host = (bracketed ?? plain ?? '').toLowerCase();
  const address = parseAddress(host);
  const bits = address?.kind() === 'ipv4' ? 32 : 128;
  const isMask = mask === undefined || (address !== null && Number(mask) <= bits);
  if (host === '' || !isMask || Number(port ?? 1) > 65_535)
    throw new Error(`has "${text}", which is not a host or CIDR with an optional :port`);
  return { host: address ? null : host, range: address && [address, Number(mask ?? bits)], port: port ?? null };
}

/** RFC 1123: labels of 1 to 63 characters, 253 in all. */
function isHostName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
}

/** The host in lower case; an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

function portOf(url: URL): string {
  return url.port || (url.protocol === 'https:' ? '443' : '80');
}
