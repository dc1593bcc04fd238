/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { createMemoryHistory, createRouter, RouterProvider } from '@tanstack/react-router';
import { cleanup, fireEvent, screen, waitFor } from '@testing-library/react';
import { draw, press, Refusal, sent, type } from '../page.fixture';
import { router } from '../router';

const unavailable = () => new Refusal(503, { error: 'A service is unavailable.', error_code: 'SERVICE_UNAVAILABLE' });
const business = { id: 1, name: 'Kaveri', plan: 'Growth', timezone: 'Asia/Kolkata' };
const key = { id: 1, name: 'CRM', revoked_at: null, expires_at: null, used_today: 3, daily_limit: 5, permissions: ['*'] };
const base = (more: Parameters<typeof draw>[1] = {}): Parameters<typeof draw>[1] => ({
  'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'owner' }, business }),
  'GET /api/client/conversations': () => ({ conversations: [], counts: { unread: 2 } }),
  'GET /api/client/api-keys': () => ({ api_keys: [key] }),
  'GET /api/client/login/options': () => ({ oidc: false }),
  ...more,
});

/** Opens a page of the dashboard by its address. */
function open(path: string, routes: Parameters<typeof draw>[1] = {}): void {
  cleanup();
  const { routeTree } = router;
  draw(<RouterProvider router={createRouter({ routeTree, history: createMemoryHistory({ initialEntries: [path] }) })} />, base(routes));
}

describe('pages by their address (decision 430)', () => {
  it('login: explains a login that gets no response, and why one by an organization failed (decision 375)', async () => {
    open('/login?problem=expired&next=/inbox', {
      'GET /api/client/login/options': () => ({ oidc: true }),
      'POST /api/client/login': () => {
        throw new TypeError('Failed to fetch');
      },
    });
    await screen.findByText('The login with your organization took too long. Try again.');
    const link = await screen.findByRole('link', { name: 'Log in with your organization' });
    expect(link.getAttribute('href')).toBe('/api/client/oidc?next=%2Finbox');
    expect(document.title).toBe('Log in · Messaging gateway');
    await type(/^Email/, 'a@b.example');
    fireEvent.change(document.querySelector('input[type=password]') as Element, { target: { value: 'x' } });
    await press('Log in');
    await screen.findByText('The server did not respond. Try again in a moment.');
  });

  it('frame: names the page and unread conversations in the title, and does not open pages of another role', async () => {
    open('/operator', { 'GET /api/client/usage': unavailable });
    await screen.findByRole('heading', { level: 1, name: 'Home' });
    await waitFor(() => expect(document.title).toBe('(2) Home · Messaging gateway'));
    expect(screen.queryByRole('link', { name: 'Operator' })).toBeNull();
  });

  it('frame: does not lead to the login while a service is unavailable', async () => {
    open('/people', { 'GET /api/client/me': unavailable });
    await screen.findByText('A service is unavailable.');
    expect(screen.queryByLabelText('Password')).toBeNull();
  });

  it('frame: shows a page with a way back for an unknown address', async () => {
    open('/nothing');
    await screen.findByRole('heading', { name: 'Page not found' });
    expect(screen.getByRole('link', { name: 'Back to the start' }).getAttribute('href')).toBe('/');
  });

  it('usage: explains a wrong day, and says nothing of a service that starts', async () => {
    const refusal = new Refusal(400, { error: 'from must be a day of the calendar', details: [] });
    open('/usage?from=2026-02-30', { 'GET /api/client/usage': () => refusal });
    const alert = await screen.findByText('from must be a day of the calendar');
    expect(alert.closest('[role=alert]')?.textContent).not.toContain('may be starting');
  });

  it('usage: shows a bar for each day, also without messages, and as many labels as fit', async () => {
    const day = { day: '2026-02-02', kind: 'text', sent: 9, delivered: 6, read: 5, failed: 1, refused: 2 };
    const report = (to: string) => ({ from: '2026-02-01', to, timezone: 'UTC', usage: [day], keys: [] });
    for (const [to, labels] of [
      ['2026-02-03', ['Feb 1', 'Feb 2', 'Feb 3']],
      ['2026-02-28', ['Feb 1', 'Feb 8', 'Feb 15', 'Feb 22']],
    ] as const) {
      open('/usage', { 'GET /api/client/usage': () => report(to) });
      const chart = await screen.findByRole('img', { name: /^Messages by day/ });
      expect(chart.textContent?.match(/Feb \d+/g)).toEqual(labels);
    }
  });

  it('settings: asks before it lifts an opt-out', async () => {
    const one = { phone: '+919876543233', state: 'opted_out', source: 'person', since: '2026-01-01T00:00:00Z' };
    open('/settings', { 'GET /api/client/suppressions': () => ({ suppressions: [one], next_cursor: null }) });
    await screen.findByText('+919876543233');
    await press('Lift');
    await press('Go back', 'button', await screen.findByRole('dialog', { name: 'Allow messages to +919876543233 again?' }));
    expect(sent()).toEqual([]);
  });

  it('auto-reply: keeps the tried question beside its reply', async () => {
    open('/auto-reply', { 'POST /api/client/auto-reply/try': () => ({ reply: 'Yes.' }) });
    const question = await screen.findByLabelText('A customer’s message');
    fireEvent.change(question, { target: { value: 'Open today?' } });
    await press('Get a reply');
    await screen.findByText('Yes.');
    fireEvent.change(question, { target: { value: 'And on Sunday?' } });
    expect(screen.getByRole('log').textContent).toContain('Open today?');
  });

  it.each([
    [3, null, null],
    [4, 'Nearly used up', null],
    [5, 'Nearly used up', 'Today’s cap is used up: CRM'],
  ])('plan bar: with %i of 5 messages used', async (used_today, warning, banner) => {
    open('/people', {
      'GET /api/client/api-keys': () => ({
        api_keys: [
          { ...key, used_today },
          { ...key, id: 2, name: 'Shop', used_today: 1 },
        ],
      }),
      'GET /api/client/erasures': () => ({ erasures: [], next_cursor: null }),
    });
    await screen.findByText(`${used_today} / 5 today`);
    expect(screen.getByText('Key CRM, the fullest of 2')).toBeTruthy();
    expect(screen.getByText(/^resets in .* \(00:00 Asia\/Kolkata\)$/)).toBeTruthy();
    expect(screen.queryByLabelText('Nearly used up')?.getAttribute('aria-label') ?? null).toBe(warning);
    expect(screen.queryByText(/^Today’s cap is used up/)?.textContent ?? null).toBe(banner);
  });

  it('webhooks: does not show a disabled one as healthy', async () => {
    const webhook = { id: 1, name: 'Switched off', url: 'https://a.example', events: [], is_active: 0, fail_count: 0, has_secret: true };
    open('/webhooks', { 'GET /api/client/webhooks': () => ({ webhooks: [webhook] }) });
    await screen.findByText('Switched off');
    expect(screen.getByText('off')).toBeTruthy();
  });

  it('plan bar: says that a Starter plan does not send', async () => {
    open('/people', { 'GET /api/client/me': () => ({ user: { id: 1, role: 'owner' }, business: { ...business, plan: 'Starter' } }) });
    await screen.findByText('The Starter plan does not send through the API.');
  });
});
