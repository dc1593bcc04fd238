/**
 * Every error of the product: its code, its HTTP status (spec §7, decision 2), and whether the same request may succeed later. The
 * gateway's envelope, the wire between services and the documentation derive from this table.
 */
export const ERRORS = {
  VALIDATION_FAILED: { status: 400, retryable: false },
  INVALID_API_KEY: { status: 401, retryable: false },
  NOT_AUTHENTICATED: { status: 401, retryable: false },
  ACCOUNT_REQUIRED: { status: 401, retryable: false },
  TOTP_REQUIRED: { status: 401, retryable: false },
  TOTP_SETUP_REQUIRED: { status: 403, retryable: false },
  PLAN_NOT_ALLOWED: { status: 403, retryable: false },
  BUSINESS_SUSPENDED: { status: 403, retryable: false },
  IP_NOT_ALLOWED: { status: 403, retryable: false },
  PERMISSION_DENIED: { status: 403, retryable: false },
  NOT_CONNECTED: { status: 400, retryable: false },
  WINDOW_CLOSED: { status: 400, retryable: false },
  RECIPIENT_SUPPRESSED: { status: 400, retryable: false },
  TEMPLATE_NOT_FOUND: { status: 400, retryable: false },
  TEMPLATE_PARAMS_MISMATCH: { status: 400, retryable: false },
  DAILY_LIMIT_REACHED: { status: 429, retryable: true },
  BROADCAST_LIMIT_REACHED: { status: 429, retryable: true },
  RATE_LIMITED: { status: 429, retryable: true },
  NOT_FOUND: { status: 404, retryable: false },
  /** The platform has deleted a file of this business. */
  MEDIA_EXPIRED: { status: 404, retryable: false },
  METHOD_NOT_ALLOWED: { status: 405, retryable: false },
  PAYLOAD_TOO_LARGE: { status: 413, retryable: false },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, retryable: false },
  IDEMPOTENCY_IN_FLIGHT: { status: 409, retryable: true },
  IDEMPOTENCY_MISMATCH: { status: 422, retryable: false },
  CONFLICT: { status: 409, retryable: false },
  PLATFORM_REFUSED: { status: 400, retryable: false },
  PLATFORM_THROTTLED: { status: 429, retryable: true },
  PLATFORM_UNAVAILABLE: { status: 500, retryable: true },
  /** The platform may have accepted the message, so nothing sends it again. For a repeated Idempotency-Key the status is 409 (decision 40). */
  OUTCOME_UNKNOWN: { status: 500, retryable: false },
  /** The business's language model did not respond (auto-reply). */
  MODEL_UNAVAILABLE: { status: 500, retryable: true },
  /** A person's read took too long, or waited too long for a connection, and was stopped. */
  QUERY_TIMEOUT: { status: 503, retryable: true },
  /** The service is busy or not running: nothing was done. */
  OVERLOADED: { status: 500, retryable: true },
  /** The caller's deadline passed before a response arrived: the work may have been done. */
  DEADLINE_EXCEEDED: { status: 500, retryable: true },
  /** The connection between services broke before a response arrived: the work may have been done. */
  REPLY_LOST: { status: 500, retryable: false },
  INTERNAL: { status: 500, retryable: false },
} as const satisfies Record<string, { status: number; retryable: boolean }>;

export type ErrorCode = keyof typeof ERRORS;

const NO_RESPONSE = new Set<ErrorCode>(['DEADLINE_EXCEEDED', 'REPLY_LOST']);
/** After these errors of a send this attempt or an earlier one may have sent the message. */
export const MAY_HAVE_SENT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...NO_RESPONSE,
  'IDEMPOTENCY_IN_FLIGHT',
  'OUTCOME_UNKNOWN',
  'INTERNAL',
]);
/** After these errors of a send nothing was sent, and the same send may succeed later. */
export const NOT_SENT_YET: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['PLATFORM_UNAVAILABLE', 'PLATFORM_THROTTLED', 'OVERLOADED']);

/** Whether no response arrived, so the work may have been done. */
export function isNoResponse(error: unknown): boolean {
  return error instanceof GatewayError && NO_RESPONSE.has(error.error_code);
}

/** Members of an error body in addition to `error` and `error_code` (spec §7), for example `session_window` or `details`. */
export type ErrorExtras = Readonly<Record<string, unknown>>;

/** An error on the wire between services. */
export interface WireError {
  error_code: ErrorCode;
  message: string;
  status: number;
  extras: ErrorExtras;
}

/** The only error type: services pass it on unchanged, and the gateway's filter turns it into the HTTP envelope. */
export class GatewayError extends Error {
  readonly status: number;

  constructor(
    readonly error_code: ErrorCode,
    message: string,
    /** Members of the response body; never a secret, a host name, SQL or a stack. */
    readonly extras: ErrorExtras = {},
    status?: number,
  ) {
    super(message);
    this.name = 'GatewayError';
    this.status = status ?? ERRORS[error_code].status;
  }

  get retryable(): boolean {
    return ERRORS[this.error_code].retryable;
  }

  toWire(): WireError {
    return { error_code: this.error_code, message: this.message, status: this.status, extras: this.extras };
  }

  static fromWire(wire: WireError): GatewayError {
    return new GatewayError(wire.error_code in ERRORS ? wire.error_code : 'INTERNAL', wire.message, wire.extras, wire.status);
  }
}

/** The same response for an unknown id and for one of another business (guarantees §9). */
export function notFound(): GatewayError {
  return new GatewayError('NOT_FOUND', 'No resource has this id.');
}

/** Refuses an Idempotency-Key that came with another request (decision 24). @param created such as `broadcast` */
export function idempotencyMismatch(created: string): GatewayError {
  return new GatewayError('IDEMPOTENCY_MISMATCH', `This Idempotency-Key was already used for another ${created}.`, {
    hint: `Use a new key for a new ${created}, or repeat the request unchanged.`,
  });
}

/** Refuses one field after a check that needs more than the request. @param message completes "<field> …" */
export function invalidField(field: string, message: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', `${field} ${message}.`, { details: [{ field, message }] });
}
