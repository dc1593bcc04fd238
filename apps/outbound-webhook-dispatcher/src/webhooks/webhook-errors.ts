import { GatewayError } from '@mgw/contracts';

/** @param message completes "<field> …" */
export function invalid(field: string, message: string): GatewayError {
  return new GatewayError('VALIDATION_FAILED', `${field} ${message}.`, { details: [{ field, message }] });
}

export function webhookNotFound(): GatewayError {
  return new GatewayError('NOT_FOUND', 'No webhook of this business has this id.');
}

export function webhookDisabled(): GatewayError {
  return new GatewayError('CONFLICT', 'The webhook is disabled. Enable it first.');
}
