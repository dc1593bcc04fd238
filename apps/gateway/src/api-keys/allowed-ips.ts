import { isIP } from 'node:net';
import { compile } from '@fastify/proxy-addr';
import { registerDecorator } from 'class-validator';

/** Maximum number of addresses and CIDRs of one key. */
export const ALLOWED_IPS_MAX = 20;

/** @returns whether a caller's address is in the list; an empty list allows every address */
export function allowedFrom(list: readonly string[]): (ip: string) => boolean {
  if (list.length === 0) return () => true;
  const isListed = compile([...list]);
  return (ip) => isListed(ip, 0);
}

/** A list of addresses and CIDRs. */
export function AreCidrs(): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: 'areCidrs',
      target: target.constructor,
      propertyName: propertyName as string,
      validator: {
        validate: (value) => Array.isArray(value) && value.length <= ALLOWED_IPS_MAX && value.every(isCidr),
        defaultMessage: () => `must be at most ${ALLOWED_IPS_MAX} addresses or CIDRs, such as 203.0.113.7 or 2001:db8::/32`,
      },
    });
}

function isCidr(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const [address = '', bits, more] = value.split('/');
  const largest = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  // A scope (%eth0) and a mapped address would never match a caller.
  if (largest < 0 || more !== undefined || /%|::ffff:/i.test(address)) return false;
  return bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= largest);
}
