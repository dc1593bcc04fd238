/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';

const entry = (id: number, action: string, detail: object, more: object = {}) => ({
  ...{ id, at: '2026-01-04T20:00:00.000Z', action, target: null, detail, ip: '192.0.2.1', request_id: `req-${id}` },
  ...{ user: { id: 1, name: 'Asha', email: 'asha@example.com' } },
  ...more,
});
const team = { users: [{ id: 6, name: 'Ravi', email: 'ravi@example.com', role: 'agent' }] };
const account = `account:${'8ccabf7f'.repeat(8)}`;

it('audit log: shows details in words, and explains why an address is missing', async () => {
  const entries = [
    entry(1, 'session.refused', { account, locked: false }, { ip: null }),
    entry(2, 'session.refused', { account, locked: true }, { ip: null }),
    entry(3, 'conversation.changed', { labels: 1, assigned_to: 6 }),
    entry(4, 'conversation.changed', { assigned_to: null }),
    entry(5, 'conversation.changed', { assigned_to: 7 }),
    entry(6, 'auto-reply.changed', { changed: ['model', 'enabled'], enabled: true, api_key_removed: false }),
    entry(7, 'auto-reply.changed', { changed: ['base_url'], api_key_removed: true }),
    entry(8, 'api-key.rotated', { heir: 3, grace_minutes: 60 }),
  ];
  openPage('/audit', {
    'GET /api/client/audit': () => ({ entries, next_cursor: null }),
    'GET /api/client/team': () => team,
  });
  await screen.findAllByText('Ravi');
  const cells = screen.getAllByRole('row').map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent));
  expect(cells.slice(1).map((row) => row[4])).toEqual([
    '',
    ' Further logins are refused for a while',
    'now has 1 labelassigned to Ravi',
    'assigned to nobody',
    'assigned to person 7',
    'changed model, enabledenabled yes',
    'changed base_url The API key of the model was removed',
    'replaced by API key 3ends after 60 minutes',
  ]);
  expect(cells[1]?.[3]).toMatch(/^Not shownOnly the operator sees it: /);
});
