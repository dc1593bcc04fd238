/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import roles from '../../api/route-roles.json';
import { openPage } from '../../open-page.fixture';
import { press, requests } from '../../page.fixture';

const AT = '2026-01-05T09:00:00.000Z';
const broadcast = {
  ...{ id: 7, name: 'Autumn', template_name: 'offer', language: 'en', status: 'completed', created_at: AT, scheduled_at: null },
  ...{ started_at: AT, finished_at: AT, retry_of: null, pause_cause: null, cost: null, failures: [] },
  ...{ total_recipients: 2, sent: 1, failed: 1, unclear: 0, pending: 0, delivered: 0, read: 0, replied: 0, retryable: 1 },
};
const daily_limit = { limit: 10, used: 0, left: 10, resets_at: AT };
const autoReply = {
  ...{ enabled: true, instructions: '', model: 'm', base_url: null, daily_limit: 1, daily_cost_limit: null, show_typing: false },
  ...{ quiet_when_agent_active_minutes: 1, costs: null, counted_today: '0' },
};
const business = { id: 1, name: 'Kaveri', plan: 'Growth', timezone: 'UTC' };

/** The roles that may send a request, from the gateway's table; none for a route that it lacks. */
function rolesOf(route: string): string[] {
  const [method = '', path = ''] = route.split(' ');
  const matches = (documented: string) => new RegExp(`^${documented.replace(/\{\w+\}/g, '[^/]+')}$`).test(`${method} ${path}`);
  return Object.entries(roles).find(([documented]) => matches(documented))?.[1] ?? [];
}

describe('pages of a manager', () => {
  it.each([
    ['/broadcasts', () => screen.findByText('Autumn')],
    [
      '/broadcasts?id=7',
      async () => {
        await screen.findByText('Retry the failed ones (1)');
        await press('Retry the failed ones (1)');
        await screen.findByRole('button', { name: 'Send to 1 person' });
      },
    ],
    ['/broadcasts?new=template', () => screen.findByRole('combobox', { name: 'Template' })],
    ['/auto-reply', () => screen.findByLabelText(/^Cost limit/)],
  ])('additions §7: %s requests only what a manager may', async (path, shown) => {
    openPage(path, {
      'GET /api/client/me': () => ({ user: { id: 1, name: 'Asha', role: 'manager' }, business }),
      'GET /api/client/broadcasts': () => ({ broadcasts: [broadcast], next_cursor: null }),
      'GET /api/client/broadcasts/7': () => broadcast,
      'GET /api/client/broadcasts/7/recipients': () => ({ recipients: [], next_cursor: null }),
      'GET /api/client/broadcasts/7/retry': () => ({ total: 1, suppressed: 0, category: 'UTILITY', daily_limit, estimate: null }),
      'GET /api/client/templates': () => ({ templates: [], sync: { state: 'done', found: 0 } }),
      'GET /api/client/auto-reply': () => autoReply,
      'GET /api/client/auto-reply/replies': () => ({ replies: [], next_cursor: null }),
    });
    await shown();
    const asked = requests.map(({ route }) => route).filter((route) => rolesOf(route).length > 0);
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.filter((route) => !rolesOf(route).includes('manager'))).toEqual([]);
  });
});
