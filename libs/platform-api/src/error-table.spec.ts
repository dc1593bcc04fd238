import { sendOutcome } from './classify';
import { ERROR_TABLE } from './error-table';
import { failureReason } from './failure-reason';
import { PLATFORM_ERRORS as rows } from '@mgw/testing';
import type { Refusal } from './refusal';

function refusal(status: number, error: Record<string, unknown>, headers: Record<string, string> = {}): Refusal {
  const outcome = sendOutcome({
    kind: 'response',
    status,
    headers,
    body: { error: { type: 'OAuthException', message: 'words', ...error } },
    bytes: 0,
  });
  if (outcome.kind !== 'refused') throw new Error(`expected a refusal, got ${outcome.kind}`);
  return outcome.refusal;
}

describe('the platform’s error codes (platform §2, decision 23)', () => {
  it.each(rows)('code %d becomes %s %d, retry %s, side effect %s', (code, errorCode, status, retry, sideEffect) => {
    expect(refusal(400, { code })).toMatchObject({ errorCode, status, retry, sideEffect, platformCode: code });
  });

  it('has a test for every code of the table', () => {
    const tested = new Set(rows.map(([code]) => code));
    const untested = ERROR_TABLE.flatMap(({ codes }) => codes).filter((code) => code !== 1 && !tested.has(code));
    expect(untested).toEqual([]);
  });

  it('reads 100 with subcode 33 as a lost phone number', () => {
    expect(refusal(400, { code: 100, error_subcode: 33 })).toMatchObject({ errorCode: 'NOT_CONNECTED', sideEffect: 'connection-problem' });
  });

  it('retries code 1 only when it is transient or a 5xx', () => {
    expect(refusal(400, { code: 1 })).toMatchObject({ status: 500, retry: 'never' });
    expect(refusal(400, { code: 1, is_transient: true }).retry).toBe('inline');
    expect(refusal(500, { code: 1 }).retry).toBe('inline');
  });

  it('classifies an unknown code by the kind of status and keeps code and trace id', () => {
    const trace = { code: 999_999, fbtrace_id: 'AmGd' };
    expect(refusal(400, trace)).toMatchObject({ errorCode: 'PLATFORM_REFUSED', retry: 'never', platformCode: 999_999, traceId: 'AmGd' });
    expect(refusal(503, trace)).toMatchObject({ errorCode: 'PLATFORM_UNAVAILABLE', retry: 'inline' });
    expect(refusal(429, trace)).toMatchObject({ errorCode: 'PLATFORM_THROTTLED', status: 429 });
  });

  it('classifies by the code, never by the HTTP status (platform §0.13)', () => {
    expect(refusal(403, { code: 131056 }).status).toBe(429);
    expect(refusal(400, { code: 190 }).errorCode).toBe(refusal(401, { code: 190 }).errorCode);
  });

  it('passes the platform’s details on, except about a token', () => {
    expect(refusal(400, { code: 131009, error_data: { details: 'Parameter value is not valid' } }).message).toContain('not valid');
    const leaky = 'Error validating access token EAAGm0PX4ZCpsBAO9Xq';
    expect(refusal(401, { code: 190, message: leaky }).message).not.toContain('EAA');
    expect(refusal(400, { code: 131009, message: leaky }).message).not.toContain('EAA');
  });

  it('honours Retry-After, then the usage header, then its own estimate', () => {
    expect(refusal(400, { code: 131056 }, { 'retry-after': '17' }).retryAfterSeconds).toBe(17);
    const usage = JSON.stringify({ '1': [{ estimated_time_to_regain_access: 2 }, { estimated_time_to_regain_access: 5 }] });
    expect(refusal(400, { code: 80007 }, { 'x-business-use-case-usage': usage }).retryAfterSeconds).toBe(300);
    expect(refusal(400, { code: 131056 }).retryAfterSeconds).toBe(6);
  });

  it('writes a failure reason as code, text and what to do (decision 26)', () => {
    expect(failureReason({ code: 131049, text: 'Healthy ecosystem.' })).toBe(
      '131049: Healthy ecosystem. Do not send it again before 24 hours have passed.',
    );
    expect(failureReason({ code: null, text: '' })).toBe('The platform reported a failure without details.');
    expect(failureReason(null)).toBe('The platform reported a failure without details.');
  });
});
