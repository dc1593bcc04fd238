import type { ErrorCode } from '@mgw/contracts';

/** The pages that explain errors. */
export const ERRORS_PATH = '/docs/errors';

/** The header `Link` of an error (RFC 8288), because decision 2 fixes the body. @param code the code in the response */
export const helpLink = (code: ErrorCode): string => `<${ERRORS_PATH}/${code}>; rel="help"`;
