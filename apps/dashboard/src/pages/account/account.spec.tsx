/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { fireEvent, screen } from '@testing-library/react';
import { queries } from '../../api/client';
import { draw, press, Refusal, requests, sent, type } from '../../page.fixture';
import { CreateKeyForm } from '../api-keys/create-key-form';
import { EditKeyForm } from '../api-keys/edit-key-form';
import { NewKeyShown } from '../api-keys/new-key-shown';
import { RotateKeyForm } from '../api-keys/rotate-key-form';
import { SetPasswordPage } from '../password/set-password-page';
import { ChangePassword } from './change-password';
import { SessionList } from './session-list';
import { TwoStepLogin } from './two-step-login';

const me = { user: { id: 1, name: 'Asha', email: 'asha@example.com', role: 'owner' }, business: { id: 1 } };
const account = (element: React.ReactNode, routes: Parameters<typeof draw>[1]) => {
  queries.clear();
  draw(element, { 'GET /api/client/me': () => me, ...routes });
  queries.setQueryData(['me'], me);
};

const WINDOWS_EDGE =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0';

describe('logins and keys (decision 430)', () => {
  it('password: shows beside its field that the current one is wrong', async () => {
    const wrong = new Refusal(422, { error: 'x', details: [{ field: 'current_password', message: 'is not yours' }] });
    function Logged() {
      queries.setQueryData(['me'], me);
      return <ChangePassword />;
    }
    draw(<Logged />, { 'GET /api/client/me': () => me, 'PUT /api/client/me/password': () => wrong });
    await type(/^Current password/, 'old');
    await type(/^New password/, 'long enough');
    await type(/^Repeat/, 'long enough');
    await press('Change password');
    await screen.findByText('Current password is not yours.');
    expect(sent()).toEqual([{ route: 'PUT /api/client/me/password', body: { current_password: 'old', new_password: 'long enough' } }]);
    await type(/^Current password/, 'older');
    expect(screen.queryByText('Current password is not yours.')).toBeNull();
  });

  it('two steps: asks for the app’s code, shows the recovery codes once, and takes the password to end', async () => {
    let enabled = false;
    account(<TwoStepLogin />, {
      'GET /api/client/me/totp': () => ({ enabled, required: false, recovery_codes_left: 10 }),
      'POST /api/client/me/totp': () => ({ secret: 'ABC', otpauth_url: 'otpauth://totp/x?secret=ABC' }),
      'PUT /api/client/me/totp': () => {
        enabled = true;
        return { message: 'On now.', recovery_codes: ['one', 'two'] };
      },
      'DELETE /api/client/me/totp': () => {
        enabled = false;
        return { message: 'Off now.' };
      },
    });
    await screen.findByText('Set up two-step login');
    await press('Set up two-step login');
    await type(/^Code of the app/, '123456');
    await press('Turn on');
    await screen.findByText('On. 10 recovery codes are left.');
    expect(document.body.textContent).toContain('one\ntwo');
    await type(/^Your password/, 'secret');
    await press('Turn off');
    await screen.findByText('Set up two-step login');
    expect(sent().map(({ route, body }) => [route.split(' ')[0], body])).toEqual([
      ['POST', undefined],
      ['PUT', { code: '123456' }],
      ['DELETE', { password: 'secret' }],
    ]);
  });

  it('two steps: counts the last recovery code as one', async () => {
    account(<TwoStepLogin />, { 'GET /api/client/me/totp': () => ({ enabled: true, required: false, recovery_codes_left: 1 }) });
    await screen.findByText('On. 1 recovery code is left.');
  });

  it('sessions: names browsers, and ends another one after a question, never this one', async () => {
    const session = { user_agent: 'curl/8.5.0', ip: null, created_at: '2026-01-01T00:00:00Z', last_used_at: '2026-01-01T00:00:00Z' };
    account(<SessionList />, {
      'GET /api/client/me/sessions': () => ({
        sessions: [
          { ...session, id: 1, current: true, user_agent: WINDOWS_EDGE },
          { ...session, id: 2, current: false },
        ],
      }),
      'DELETE /api/client/me/sessions/2': () => ({ message: 'Ended.' }),
    });
    await screen.findByText('This one');
    screen.getByText('Edge on Windows');
    screen.getByText('curl/8.5.0');
    await press('End session 2: curl/8.5.0, unknown address');
    expect(sent()).toEqual([]);
    await press('End', 'button', await screen.findByRole('dialog'));
    await screen.findByText('Ended.');
  });

  it('sessions: ends all others after a question', async () => {
    const session = { user_agent: 'curl/8.5.0', ip: null, created_at: '2026-01-01T00:00:00Z', last_used_at: '2026-01-01T00:00:00Z' };
    account(<SessionList />, {
      'GET /api/client/me/sessions': () => ({ sessions: [1, 2, 3].map((id) => ({ ...session, id, current: id === 1 })) }),
      'DELETE /api/client/me/sessions/2': () => ({ message: 'Ended.' }),
      'DELETE /api/client/me/sessions/3': () => ({ message: 'Ended.' }),
    });
    await screen.findByText('This one');
    await press('End all others');
    await press('End all others', 'button', await screen.findByRole('dialog', { name: 'End the 2 other sessions?' }));
    await screen.findByText('2 sessions ended.');
    expect(sent().map(({ route }) => route)).toEqual(['DELETE /api/client/me/sessions/2', 'DELETE /api/client/me/sessions/3']);
  });

  it('link: sets the password by the token of the fragment, which leaves the history', async () => {
    window.history.replaceState(null, '', '/password#token=t1');
    account(<SetPasswordPage />, { 'POST /api/client/password': () => ({ message: 'Set.' }) });
    await type(/^New password/, 'long enough');
    await type(/^Repeat/, 'long enough');
    await press('Set password');
    await screen.findByText('Set.', { exact: false });
    expect(requests).toContainEqual({ route: 'POST /api/client/password', body: { token: 't1', new_password: 'long enough' } });
    expect(window.location.hash).toBe('');
  });

  it('key: needs a name and a permission, and sends only what an edit changed', async () => {
    const create = jest.fn();
    account(<CreateKeyForm isPending={false} error={null} create={create} />, {});
    const submit = screen.getByRole('button', { name: 'Create' }) as HTMLButtonElement;
    await type(/^Name/, 'CRM');
    fireEvent.click(screen.getByLabelText('All permissions'));
    expect(submit.disabled).toBe(true);
    fireEvent.click(screen.getByLabelText('send_text'));
    await press('Create');
    const body = { name: 'CRM', permissions: ['send_text'], expires_at: null };
    expect(create.mock.calls).toEqual([[{ body, seed: expect.any(String) as string }]]);
  });

  it('key: edits addresses line by line', async () => {
    const done = jest.fn();
    const key = { id: 3, name: 'CRM', expires_at: null, allowed_ips: [] };
    account(<EditKeyForm apiKey={key as never} done={done} />, { 'PATCH /api/client/api-keys/3': () => ({ message: 'Saved.' }) });
    expect((screen.getByRole('button', { name: 'Save' }) as HTMLButtonElement).disabled).toBe(true);
    await type(/^Allowed addresses/, '203.0.113.7\n 198.51.100.0/24,');
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()).toEqual([{ route: 'PATCH /api/client/api-keys/3', body: { allowed_ips: ['203.0.113.7', '198.51.100.0/24'] } }]);
    expect(done).toHaveBeenCalledTimes(1);
  });

  it('key: loses its expiry when the field is emptied', async () => {
    const key = { id: 3, name: 'CRM', expires_at: '2099-01-31T00:00:00.000Z', allowed_ips: [] };
    account(<EditKeyForm apiKey={key as never} done={() => undefined} />, {
      'PATCH /api/client/api-keys/3': () => ({ message: 'Saved.' }),
    });
    await type(/^Expires/, '');
    expect(screen.getByLabelText<HTMLInputElement>(/^Expires/).value).toBe('');
    await press('Save');
    await screen.findByText('Saved.');
    expect(sent()).toEqual([{ route: 'PATCH /api/client/api-keys/3', body: { never_expires: true } }]);
  });

  it('key: rotates with the chosen time, and shows the new secret with a command', async () => {
    const rotate = jest.fn();
    account(
      <>
        <RotateKeyForm isPending={false} rotate={rotate} />
        <NewKeyShown secret="mgw_1" message="Copy it now." done={() => undefined} />
      </>,
      {},
    );
    await press('Rotate');
    expect(rotate.mock.calls).toEqual([[60]]);
    expect(document.body.textContent).toContain(`/api/v1/health -H 'X-API-Key: mgw_1'`);
  });
});
