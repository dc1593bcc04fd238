/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, sent, type } from '../../page.fixture';

it('login: begins at the email, and requires it before it sends a link for a forgotten password', async () => {
  openPage('/login', {
    'GET /api/client/login/options': () => ({ oidc: false }),
    'POST /api/client/password/forgotten': () => ({ message: 'A link is on its way.' }),
  });
  const email = await screen.findByLabelText(/^Email/);
  expect(document.activeElement).toBe(email);
  screen.getByRole('button', { name: 'Log in' }).focus();
  await press('I forgot my password');
  screen.getByText(/^Enter your email first\./);
  expect([sent(), document.activeElement]).toEqual([[], email]);
  await type(/^Email/, 'asha@kaveri.example');
  expect(screen.queryByText(/^Enter your email first\./)).toBeNull();
  await press('I forgot my password');
  await screen.findByText('A link is on its way.');
  expect(sent()).toEqual([{ route: 'POST /api/client/password/forgotten', body: { email: 'asha@kaveri.example' } }]);
});

it('login: says to a person whose session ended that the page continues after it', async () => {
  openPage('/login?next=%2Finbox%3Fid%3D1', { 'GET /api/client/login/options': () => ({ oidc: false }) });
  await screen.findByText('You are logged out. Log in to continue where you were.');
});
