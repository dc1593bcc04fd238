import { GatewayError } from '@mgw/contracts';
import type { Refusal } from '@mgw/platform-api';

/** The error for a file that the platform refused. */
export function refusedTransfer({ errorCode, message, hint, platformCode, retryAfterSeconds, status }: Refusal): GatewayError {
  return new GatewayError(
    errorCode,
    message,
    {
      ...(platformCode !== null && { platform_code: platformCode }),
      ...(hint !== null && { hint }),
      ...(retryAfterSeconds !== null && { retry_after_seconds: retryAfterSeconds }),
    },
    status,
  );
}
