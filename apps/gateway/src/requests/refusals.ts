import { GatewayError } from '@mgw/contracts';

export function noSession(): GatewayError {
  return new GatewayError('NOT_AUTHENTICATED', 'Log in first: there is no session, or it has ended.');
}

/** Refuses one field after a check that needs more than the request. @param message completes "<field> …" */
export function invalid(field: string, message: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', `${field} ${message}`, { details: [{ field, message }] });
}
