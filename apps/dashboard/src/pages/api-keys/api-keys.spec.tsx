/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, Refusal, sent, type } from '../../page.fixture';

const soon = () => new Date(Date.now() + 3_600_000).toISOString();
const key = (id: number, last_four: string, more: object = {}) => ({
  ...{ id, last_four, name: 'Demo key', prefix: 'mgw', sends_as: 1, permissions: ['*'], allowed_ips: [] },
  ...{ used_today: 0, daily_limit: 5, per_minute_limit: 5, last_used_at: null, last_ip: null, expires_at: null, revoked_at: null },
  ...more,
});
const rowOf = async (last_four: string) => within((await screen.findByText(`mgw…${last_four}`)).closest('tr') as HTMLElement);

describe('API keys', () => {
  it('distinguishes the keys of a rotation, in the list and before it revokes one', async () => {
    openPage('/api-keys', {
      'GET /api/client/api-keys': () => ({ api_keys: [key(1, 'aaaa', { expires_at: soon() }), key(2, 'bbbb')] }),
      'DELETE /api/client/api-keys/1': () => ({ success: true }),
    });
    (await rowOf('bbbb')).getByText('New, replaces …aaaa');
    const old = await rowOf('aaaa');
    old.getByText(/^Replaced by …bbbb, works until .*\d:\d\d/);
    await press(/^Revoke/, 'button', old.getByRole('button', { name: /^Revoke/ }).parentElement as HTMLElement);
    const dialog = await screen.findByRole('dialog', { name: 'Revoke Demo key, mgw…aaaa?' });
    within(dialog).getByText(/^This is the old key\./);
    await press('Revoke', 'button', dialog);
    expect(sent().map(({ route }) => route)).toEqual(['DELETE /api/client/api-keys/1']);
  });

  it('shows no expiry of a revoked key, and does not call a key replaced by a revoked one', async () => {
    const expires_at = soon();
    const revoked_at = new Date().toISOString();
    openPage('/api-keys', {
      'GET /api/client/api-keys': () => ({ api_keys: [key(1, 'aaaa'), key(2, 'bbbb', { expires_at, revoked_at })] }),
    });
    const revoked = await rowOf('bbbb');
    expect(revoked.queryByText(/in \d+ minutes|in 1 hour/)).toBeNull();
    revoked.getByText('revoked');
    const old = await rowOf('aaaa');
    old.getByText('active');
    expect(old.queryByText(/^Replaced/)).toBeNull();
    await press(/^Revoke/, 'button', old.getByRole('button', { name: /^Revoke/ }).parentElement as HTMLElement);
    await screen.findByText('Software that uses this key stops working at once, and its broadcasts pause.');
  });

  it('decision 753: shows why no key was created if the address closed the dialog meanwhile', async () => {
    let respond: ((response: object) => void) | undefined;
    openPage('/api-keys?new=yes', { 'POST /api/client/api-keys': () => new Promise<object>((resolve) => (respond = resolve)) });
    await type(/^Name/, 'CRM');
    await press('Create');
    await waitFor(() => expect(respond).toBeDefined());
    fireEvent.click(screen.getByRole('link', { name: /^API & Integrations/, hidden: true }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    respond?.(new Refusal(409, { error: 'The business has 20 keys.' }));
    await screen.findByText('The business has 20 keys.');
  });
});
