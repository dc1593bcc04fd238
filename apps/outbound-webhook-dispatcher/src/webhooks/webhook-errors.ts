import { GatewayError } from '@mgw/contracts';

export function webhookNotFound(): GatewayError {
  return new GatewayError('NOT_FOUND', 'No webhook of this business has this id.');
}

export function webhookDisabled(): GatewayError {
  return new GatewayError('CONFLICT', 'The webhook is disabled. Enable it first.');
}
