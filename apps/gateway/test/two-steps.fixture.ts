import { TOTP } from 'otpauth';
import type { Browser } from './browser.fixture';

const OWN_TOTP = '/api/client/me/totp';

/** The code that an authenticator app shows the given number of periods from now. */
export const codeOf = (secret: string, ahead = 0): string => new TOTP({ secret }).generate({ timestamp: Date.now() + ahead * 30_000 });

export async function beginTwoSteps(session: Browser): Promise<string> {
  const { body } = await session.post(OWN_TOTP).expect(200);
  return (body as { secret: string }).secret;
}

/** Turns two-step login on with `code`, which is used afterwards. */
export async function setUpTwoSteps(session: Browser): Promise<{ secret: string; code: string; recoveryCodes: string[] }> {
  const secret = await beginTwoSteps(session);
  const code = codeOf(secret);
  const { body } = await session.put(OWN_TOTP, { code }).expect(200);
  return { secret, code, recoveryCodes: (body as { recovery_codes: string[] }).recovery_codes };
}
