const UNCLEAR = 'OUTCOME_UNKNOWN: ';

/** The status that people see. An unclear send has the status `failed`, and its reason tells it apart (decision 23a). */
export function shownStatus(status: string, reason: string | null): string {
  return status === 'failed' && reason?.startsWith(UNCLEAR) ? 'unclear' : status;
}

/** The reason of a failure without the code of an unclear send, which its status shows. */
export const shownReason = (reason: string | null): string | null => (reason?.startsWith(UNCLEAR) ? reason.slice(UNCLEAR.length) : reason);
