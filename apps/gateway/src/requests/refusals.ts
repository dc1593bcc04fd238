import { GatewayError } from '@mgw/contracts';

/** An unknown id and another business's are one and the same (guarantees §9). */
export function notFound(): GatewayError {
  return new GatewayError('NOT_FOUND', 'There is nothing with this id.');
}

/** Whatever is wrong with it. */
export function noSession(): GatewayError {
  return new GatewayError('NOT_AUTHENTICATED', 'Log in first: there is no session, or it has ended.');
}

/** One field is wrong in a way that only a look at the world shows. @param message completes "<field> …". */
export function invalid(field: string, message: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', `${field} ${message}`, { details: [{ field, message }] });
}
