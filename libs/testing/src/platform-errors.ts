/** Code, our error_code, status for the caller, retry, side effect. */
type PlatformErrorRow = [code: number, errorCode: string, status: number, retry: 'never' | 'later' | 'inline', sideEffect: string | null];

/** Platform §2 row by row, independent of the table under test: for the client's specs and for the whole stack. */
export const PLATFORM_ERRORS: PlatformErrorRow[] = [
  ...[0, 190, 33, 3, 10, 200, 250, 299, 131005, 131045, 133000, 133006, 133010, 133015, 131031, 368].map((code): PlatformErrorRow => [
    code,
    'NOT_CONNECTED',
    400,
    'never',
    'connection-problem',
  ]),
  ...[100, 131008, 131009, 135000, 131021, 131030, 131051, 131026, 131049, 130472, 130497, 131037, 131052, 131053, 131062].map(
    (code): PlatformErrorRow => [code, 'PLATFORM_REFUSED', 400, 'never', null],
  ),
  ...[131063, 132005, 132007, 132008, 132012, 132018, 132068, 134011, 137000].map((code): PlatformErrorRow => [
    code,
    'PLATFORM_REFUSED',
    400,
    'never',
    null,
  ]),
  [131047, 'WINDOW_CLOSED', 400, 'never', 'window-closed'],
  [131050, 'RECIPIENT_SUPPRESSED', 400, 'never', 'marketing-opt-out'],
  [131048, 'PLATFORM_THROTTLED', 429, 'later', 'quality-problem'],
  [131056, 'PLATFORM_THROTTLED', 429, 'later', null],
  [130429, 'PLATFORM_THROTTLED', 429, 'inline', null],
  [4, 'PLATFORM_THROTTLED', 429, 'later', null],
  [80007, 'PLATFORM_THROTTLED', 429, 'later', null],
  [613, 'PLATFORM_THROTTLED', 429, 'later', null],
  [133016, 'PLATFORM_THROTTLED', 429, 'later', null],
  [131064, 'PLATFORM_THROTTLED', 429, 'later', 'quality-problem'],
  [2, 'PLATFORM_UNAVAILABLE', 500, 'inline', null],
  [131000, 'PLATFORM_UNAVAILABLE', 500, 'inline', null],
  [131016, 'PLATFORM_UNAVAILABLE', 500, 'inline', null],
  [133004, 'PLATFORM_UNAVAILABLE', 500, 'inline', null],
  [131057, 'PLATFORM_UNAVAILABLE', 500, 'later', null],
  [2494100, 'PLATFORM_UNAVAILABLE', 500, 'later', null],
  [131042, 'PLATFORM_REFUSED', 400, 'never', 'billing-problem'],
  [131044, 'PLATFORM_REFUSED', 400, 'never', 'billing-problem'],
  [132000, 'TEMPLATE_PARAMS_MISMATCH', 400, 'never', 'templates-stale'],
  [132001, 'TEMPLATE_NOT_FOUND', 400, 'never', 'templates-stale'],
  [132015, 'PLATFORM_REFUSED', 400, 'never', 'templates-stale'],
  [132016, 'PLATFORM_REFUSED', 400, 'never', 'templates-stale'],
  [132069, 'PLATFORM_REFUSED', 400, 'later', null],
];
