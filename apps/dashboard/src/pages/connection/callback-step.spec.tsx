/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { screen } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press, sent } from '../../page.fixture';

describe('the step Callback', () => {
  it('decision 720: replaces a verify token that cannot be read', async () => {
    const ids = { phone_number_id: '701', business_account_id: '801' };
    let verify_token: string | null = null;
    openPage('/settings/connection?step=callback', {
      'GET /api/client/connection': () => ({
        ...{ ...ids, status: 'connected', checked_at: null, problem: null, verify_token },
        ...{ display_phone_number: null, verified_name: null, quality_rating: null, messaging_limit: null, throughput: null },
        callback_url: 'https://gateway.example/webhooks/whatsapp',
      }),
      'PUT /api/client/connection': (body) => {
        verify_token = (body as { verify_token: string }).verify_token;
        return { message: 'Saved.' };
      },
    });
    await screen.findByText(/verify token cannot be read/);
    await press('Create a verify token');
    await screen.findByText(/^[0-9a-f]{64}$/);
    expect(screen.queryByText(/cannot be read/)).toBeNull();
    expect(sent()).toEqual([
      { route: 'PUT /api/client/connection', body: { ...ids, verify_token: expect.stringMatching(/^[0-9a-f]{64}$/) as string } },
    ]);
  });
});
