import type { ResponseHeaders } from './exchange';

/** Wait that the platform's headers request (platform §1.6), in seconds, or null. */
export function retryAfterSeconds(headers: ResponseHeaders): number | null {
  const header = headers['retry-after'];
  if (typeof header === 'string' && /^\d{1,6}$/.test(header)) return Number(header);
  const usage = headers['x-business-use-case-usage'];
  const minutes = typeof usage === 'string' ? minutesToRegainAccess(usage) : 0;
  return minutes > 0 ? minutes * 60 : null;
}

/** `{"<account>":[{"estimated_time_to_regain_access":<minutes>}]}`: the longest counts. */
function minutesToRegainAccess(usage: string): number {
  try {
    const entries = Object.values(JSON.parse(usage) as Record<string, { estimated_time_to_regain_access?: number }[]>).flat();
    return Math.max(0, ...entries.map((entry) => Number(entry?.estimated_time_to_regain_access) || 0));
  } catch {
    return 0;
  }
}
