/** @jest-environment ./libs/testing/src/browser-environment.cjs */
import { fireEvent, screen, within } from '@testing-library/react';
import { openPage } from '../../open-page.fixture';
import { press } from '../../page.fixture';

it('the log of deliveries names no period, because RETENTION_DELIVERIES_DAYS configures it', async () => {
  openPage('/webhooks?id=1', {
    'GET /api/client/webhooks': () => ({ webhooks: [] }),
    'GET /api/client/webhooks/1/deliveries': () => ({ deliveries: [], next_cursor: null }),
  });
  const log = within(await screen.findByRole('dialog', { name: 'Deliveries' }));
  fireEvent.click(await log.findByRole('combobox', { name: 'State' }));
  await press('failed', 'option');
  await log.findByText('No deliveries match these filters.');
  expect(document.body.textContent).not.toMatch(/\d+ days/);
});
