import type { ErrorCode } from '@mgw/contracts';

/** Where the gateway says what an error means (friendliness F5). */
export const ERRORS_PATH = '/docs/errors';

/** The header `Link` of an error (RFC 8288): bodies are fixed by product decision 2. @param code as the caller is told */
export const helpLink = (code: ErrorCode): string => `<${ERRORS_PATH}/${code}>; rel="help"`;
