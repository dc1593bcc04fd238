import type { BrowserContext, Page } from 'playwright-core';

/** Logs a browser in, without the form of the login page. @param cookie as `logIn` returns it */
export async function addSession(context: BrowserContext, siteUrl: string, cookie: string): Promise<void> {
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, domain: new URL(siteUrl).hostname, path: '/api', httpOnly: true, sameSite: 'Lax' }]);
}

/**
 * Waits for the login page by its form. A wait for its address fails if the page's next refused request begins the load again.
 * @returns its address
 */
export async function loginAddress(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Log in', exact: true }).waitFor();
  return page.url();
}
