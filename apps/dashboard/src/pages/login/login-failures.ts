import { ApiError } from '../../api/client';

/** Why a login with the organization's provider failed, and what to do. The gateway names the reason in the URL. */
const PROBLEMS: Record<string, string> = {
  expired: 'The login with your organization took too long. Try again.',
  refused: 'Your organization’s login did not confirm who you are. Try again.',
  unverified: 'Your organization has not verified your email address. Ask its administrator.',
  unknown: 'Nobody here has the email address of your organization’s login. Ask an owner of your business to invite you.',
  limited: 'Too many wrong logins. Wait before you try again.',
  off: 'This gateway offers no login with an organization. Use your password.',
};

export const providerProblem = (problem: string): string =>
  PROBLEMS[problem] ?? 'Your organization’s login did not respond. Try again in a moment, or use your password.';

/** A login that names its account may work when one without it does not (decision 718). */
export const isRefused = (error: unknown): boolean => hasCode(error, 'NOT_AUTHENTICATED');
export const isCodeMissing = (error: unknown): boolean => hasCode(error, 'TOTP_REQUIRED');
/** The accounts of which the person has to choose one. */
export const accountsToChoose = (error: unknown) =>
  error instanceof ApiError && error.code === 'ACCOUNT_REQUIRED' ? error.accounts : null;
/** Whether the login goes on with another question, so that there is nothing to explain. */
export const isQuestion = (error: unknown): boolean => isCodeMissing(error) || accountsToChoose(error) !== null;

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code;
}
