import { cases } from './ssrf-cases.json';

/** Targets that must be refused when they are set and never be dialled (guarantees §5). */
export const SSRF_CASES: readonly { name: string; url: string }[] = cases;

/** The same target on a port where the test listens, so that a dial would be seen; null where the case brings its own port or has no host. */
export function aimedAt(url: string, port: number): string | null {
  const authority = /^https:\/\/([^/#?]+)/.exec(url)?.[1];
  if (authority === undefined || /:\d*$/.test(authority.replace(/^\[.*\]/, ''))) return null;
  return url.replace(authority, `${authority}:${port}`);
}
