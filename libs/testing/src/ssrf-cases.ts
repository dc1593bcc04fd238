import { cases } from './ssrf-cases.json';

/** Targets that must be refused when they are set and must never be called (guarantees §5). */
export const SSRF_CASES: readonly { name: string; url: string }[] = cases;

/** The same target on the test's port, so that a connection would be noticed; null if the case has its own port or no host. */
export function withPort(url: string, port: number): string | null {
  const authority = /^https:\/\/([^/#?]+)/.exec(url)?.[1];
  if (authority === undefined || /:\d*$/.test(authority.replace(/^\[.*\]/, ''))) return null;
  return url.replace(authority, `${authority}:${port}`);
}
