/** An attempt that this worker has claimed. */
export interface Attempt {
  /** The id of its delivery. */
  id: string;
  webhook_id: string;
  business_id: string;
  ordering_key: string;
  event_id: string;
  body: string;
  /** The number of its event; null for a test event. */
  seq: string | null;
  /** The number of the event before it that the webhook wanted, `0` for the first. */
  previous_seq: string | null;
  /** Size of the body in UTF-8. */
  bytes: number;
  /** Counts the attempts of a delivery; the fencing token. */
  attempt: number;
  url: string;
  secret_sealed: string | null;
  /** A replaced secret that signs as well. */
  old_secret_sealed: string | null;
  traceparent: string | null;
  /** A person requested it: a test or a redelivery. */
  manual: boolean;
  /** The worker that holds the claim. */
  worker: string;
  /** Time of the claim, as `performance.now()`. */
  claimedAt: number;
  /** Workers that died during its attempts since one survived. */
  lost_workers: number;
}

export interface AttemptEnd {
  succeeded: boolean;
  statusCode: number | null;
  /** Shown to the business; null after a success. */
  reason: string | null;
  /** The beginning of the response's body, of a failure or a delivery that a person requested. */
  responseBody: string | null;
  durationMs: number;
}

/** A process attempts deliveries that have lost this many workers one at a time, so that none is set aside for another (decision 248). */
export const SUSPECT_AFTER = 2;
/** A delivery that has lost this many workers is set aside (guarantees §10, N3). */
export const SET_ASIDE_AFTER = 3;
