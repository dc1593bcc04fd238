/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { loadPage } from './load-page';

describe('decision 631: the code of a page', () => {
  const missing = new TypeError('Failed to fetch dynamically imported module');
  const load = () => Promise.reject(missing);

  it('keeps the error on which the router reloads the window if the gateway responds', async () => {
    // The gateway takes no HEAD.
    Object.assign(window, { fetch: (_: string, { method = 'GET' }: RequestInit = {}) => Promise.resolve({ ok: method === 'GET' }) });
    await expect(loadPage(load)).rejects.toBe(missing);
    expect(await loadPage(() => Promise.resolve(1))).toBe(1);
  });

  it('fails with another error, on which the frame stays, if nothing responds', async () => {
    Object.assign(window, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) });
    await expect(loadPage(load)).rejects.toThrow('The gateway did not respond.');
  });
});
