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
