const UNCLEAR = 'OUTCOME_UNKNOWN: ';

/** The status that people see. An unclear send has the status `failed`, and its reason distinguishes it (decision 23a). */
export function shownStatus(status: string, reason: string | null): string {
  return status === 'failed' && reason?.startsWith(UNCLEAR) ? 'unclear' : status;
}

/** The reason of a failure in words: without the gateway's own code, and without the number that WhatsApp repeats in its text. */
export const shownReason = (reason: string | null): string | null =>
  reason?.replace(/^[A-Z]+(_[A-Z]+)*: /, '').replaceAll(/\(#\d+\) */g, '') ?? null;
