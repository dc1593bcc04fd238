import type { BrowserContext } from 'playwright-core';

/** Logs a browser in, without the form of the login page. @param cookie as `logIn` returns it */
export async function addSession(context: BrowserContext, siteUrl: string, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, domain: new URL(siteUrl).hostname, path: '/api', httpOnly: true, sameSite: 'Lax' }]);
}
